-- A custom model without a given length had the default, which then counted as unknown. 4,096 is now a length like others.
UPDATE `model_settings` SET `max_tokens` = NULL WHERE `source` = 'custom' AND `max_tokens` = 4096;
