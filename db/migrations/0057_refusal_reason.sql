ALTER TABLE `model_refusals` ADD `reason` text;--> statement-breakpoint
-- Without a choice of its API, a provider of OpenAI's type at another address now gets chat completions: those that are there stay as they were.
UPDATE `providers` SET `config` = json_set(`config`, '$.api', 'responses') WHERE `type` = 'openai' AND json_type(`config`, '$.baseUrl') = 'text' AND json_type(`config`, '$.api') IS NULL AND json_extract(`config`, '$.baseUrl') NOT LIKE 'https://%openai.com%' AND json_extract(`config`, '$.baseUrl') NOT LIKE 'https://%.azure.com%';--> statement-breakpoint
CREATE TRIGGER `model_refusals_update_counts` AFTER UPDATE ON `model_refusals` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;
