DROP TRIGGER `providers_insert_counts`;--> statement-breakpoint
DROP TRIGGER `providers_update_counts`;--> statement-breakpoint
DROP TRIGGER `providers_delete_counts`;--> statement-breakpoint
DROP TRIGGER `model_settings_insert_counts`;--> statement-breakpoint
DROP TRIGGER `model_settings_update_counts`;--> statement-breakpoint
DROP TRIGGER `model_settings_delete_counts`;--> statement-breakpoint
DROP TRIGGER `key_references_insert_counts`;--> statement-breakpoint
DROP TRIGGER `key_references_update_counts`;--> statement-breakpoint
DROP TRIGGER `key_references_delete_counts`;--> statement-breakpoint
DROP TRIGGER `org_settings_insert_counts`;--> statement-breakpoint
DROP TRIGGER `org_settings_update_counts`;--> statement-breakpoint
DROP TRIGGER `org_settings_delete_counts`;--> statement-breakpoint
DROP TABLE `config_versions`;--> statement-breakpoint
ALTER TABLE `org_settings` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `org_settings` ADD `field_versions` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
INSERT INTO `org_settings` (`org_id`, `key`, `value`, `updated_at`) SELECT `org_id`, 'performance', json_extract(`value`, '$.performance'), `updated_at` FROM `org_settings` WHERE `key` = 'advanced' AND json_type(`value`, '$.performance') = 'object';--> statement-breakpoint
INSERT INTO `org_settings` (`org_id`, `key`, `value`, `updated_at`) SELECT `org_id`, 'security', json_extract(`value`, '$.security'), `updated_at` FROM `org_settings` WHERE `key` = 'advanced' AND json_type(`value`, '$.security') = 'object';--> statement-breakpoint
INSERT INTO `org_settings` (`org_id`, `key`, `value`, `updated_at`) SELECT `org_id`, 'ai', json_extract(`value`, '$.ai'), `updated_at` FROM `org_settings` WHERE `key` = 'advanced' AND json_type(`value`, '$.ai') = 'object';--> statement-breakpoint
INSERT INTO `org_settings` (`org_id`, `key`, `value`, `updated_at`) SELECT `org_id`, 'monitoring', json_extract(`value`, '$.monitoring'), `updated_at` FROM `org_settings` WHERE `key` = 'advanced' AND json_type(`value`, '$.monitoring') = 'object';--> statement-breakpoint
INSERT INTO `org_settings` (`org_id`, `key`, `value`, `updated_at`) SELECT `org_id`, 'notifications', json_extract(`value`, '$.notifications'), `updated_at` FROM `org_settings` WHERE `key` = 'advanced' AND json_type(`value`, '$.notifications') = 'object';--> statement-breakpoint
DELETE FROM `org_settings` WHERE `key` = 'advanced';--> statement-breakpoint
CREATE TABLE `config_topics` (
	`topic` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);--> statement-breakpoint
CREATE TRIGGER `providers_insert_counts` AFTER INSERT ON `providers` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `providers_update_counts` AFTER UPDATE ON `providers` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `providers_delete_counts` AFTER DELETE ON `providers` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `model_settings_insert_counts` AFTER INSERT ON `model_settings` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `model_settings_update_counts` AFTER UPDATE ON `model_settings` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `model_settings_delete_counts` AFTER DELETE ON `model_settings` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `key_references_insert_counts` AFTER INSERT ON `key_references` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `key_references_update_counts` AFTER UPDATE ON `key_references` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `key_references_delete_counts` AFTER DELETE ON `key_references` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `org_settings_insert_counts` AFTER INSERT ON `org_settings` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('settings:' || new.`key`, (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `org_settings_update_counts` AFTER UPDATE ON `org_settings` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('settings:' || new.`key`, (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `org_settings_delete_counts` AFTER DELETE ON `org_settings` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('settings:' || old.`key`, (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;
