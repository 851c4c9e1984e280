ALTER TABLE `embedding_spaces` ADD `max_tokens` integer;--> statement-breakpoint
-- A built index waited for somebody to switch to it. It is verified again, and then takes over by itself.
UPDATE `search_indexes` SET `state` = 'building' WHERE `state` = 'ready';--> statement-breakpoint
ALTER TABLE `search_indexes` DROP COLUMN `held`;--> statement-breakpoint
UPDATE `org_settings` SET `value` = json_remove(`value`, '$.compareFirst') WHERE `key` = 'rag' AND json_valid(`value`);--> statement-breakpoint
-- Results of indexes that were compared before a switch; those of the index in use are checks like all others.
DELETE FROM `retrieval_runs` WHERE json_extract(`setting`, '$.index') = 'next';
