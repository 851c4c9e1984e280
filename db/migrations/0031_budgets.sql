CREATE TABLE `budget_periods` (
	`budget_id` text NOT NULL,
	`period` text NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	`extra` integer DEFAULT 0 NOT NULL,
	`unpriced` integer DEFAULT 0 NOT NULL,
	`warned_at` integer,
	`used_up_at` integer,
	PRIMARY KEY(`budget_id`, `period`),
	FOREIGN KEY (`budget_id`) REFERENCES `budgets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `budget_reservations` (
	`budget_id` text NOT NULL,
	`call_id` text NOT NULL,
	`amount` integer NOT NULL,
	PRIMARY KEY(`budget_id`, `call_id`),
	FOREIGN KEY (`budget_id`) REFERENCES `budgets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `budgets` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`scope` text NOT NULL,
	`scope_id` text NOT NULL,
	`unit` text NOT NULL,
	`period` text NOT NULL,
	`limit_amount` integer NOT NULL,
	`warn_at` integer,
	`unpriced` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `budgets_target` ON `budgets` (`org_id`,`scope`,`scope_id`,`unit`,`period`);--> statement-breakpoint
CREATE TRIGGER `budgets_insert_counts` AFTER INSERT ON `budgets` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('budgets', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `budgets_update_counts` AFTER UPDATE ON `budgets` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('budgets', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `budgets_delete_counts` AFTER DELETE ON `budgets` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('budgets', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `group_members_insert_counts` AFTER INSERT ON `group_members` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('budgets', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;--> statement-breakpoint
CREATE TRIGGER `group_members_delete_counts` AFTER DELETE ON `group_members` BEGIN
	INSERT INTO `config_topics` (`topic`, `version`) VALUES ('budgets', (SELECT coalesce(max(`version`), 0) + 1 FROM `config_topics`)) ON CONFLICT (`topic`) DO UPDATE SET `version` = excluded.`version`;
END;
