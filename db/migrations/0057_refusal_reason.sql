ALTER TABLE `model_refusals` ADD `reason` text;--> statement-breakpoint
-- Without a choice of its API, a provider of OpenAI's type at another address now gets chat completions: those that are there stay as they were.
UPDATE `providers` SET `config` = json_set(`config`, '$.api', 'responses') WHERE `type` = 'openai' AND json_type(`config`, '$.baseUrl') = 'text' AND json_type(`config`, '$.api') IS NULL AND json_extract(`config`, '$.baseUrl') NOT LIKE 'https://%openai.com%' AND json_extract(`config`, '$.baseUrl') NOT LIKE 'https://%.azure.com%';
