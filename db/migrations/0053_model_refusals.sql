CREATE TABLE `model_refusals` (
	`org_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`model_id` text NOT NULL,
	`feature` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`provider_id`, `model_id`, `feature`),
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
CREATE TRIGGER `model_refusals_insert_counts` AFTER INSERT ON `model_refusals` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `model_refusals_delete_counts` AFTER DELETE ON `model_refusals` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('models', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;
