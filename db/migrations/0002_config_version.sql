CREATE TABLE `config_versions` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);--> statement-breakpoint
INSERT INTO `config_versions` (`id`, `version`) VALUES (1, 1);--> statement-breakpoint
CREATE TRIGGER `providers_insert_counts` AFTER INSERT ON `providers` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `providers_update_counts` AFTER UPDATE ON `providers` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `providers_delete_counts` AFTER DELETE ON `providers` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `model_settings_insert_counts` AFTER INSERT ON `model_settings` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `model_settings_update_counts` AFTER UPDATE ON `model_settings` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `model_settings_delete_counts` AFTER DELETE ON `model_settings` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `key_references_insert_counts` AFTER INSERT ON `key_references` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `key_references_update_counts` AFTER UPDATE ON `key_references` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `key_references_delete_counts` AFTER DELETE ON `key_references` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `org_settings_insert_counts` AFTER INSERT ON `org_settings` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `org_settings_update_counts` AFTER UPDATE ON `org_settings` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;--> statement-breakpoint
CREATE TRIGGER `org_settings_delete_counts` AFTER DELETE ON `org_settings` BEGIN
	UPDATE `config_versions` SET `version` = `version` + 1 WHERE `id` = 1;
END;
