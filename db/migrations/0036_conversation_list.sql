CREATE TABLE `conversation_folders` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `conversation_folders_name` ON `conversation_folders` (`org_id`,`user_id`,`name`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `title_source` text DEFAULT 'message' NOT NULL;--> statement-breakpoint
ALTER TABLE `conversations` ADD `folder_id` text REFERENCES conversation_folders(id) ON DELETE set null;--> statement-breakpoint
ALTER TABLE `conversations` ADD `pinned_at` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `archived_at` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `conversations_pinned` ON `conversations` (`org_id`,`user_id`,`updated_at`) WHERE pinned_at is not null;--> statement-breakpoint
CREATE INDEX `conversations_deleted` ON `conversations` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX `conversations_folder` ON `conversations` (`folder_id`) WHERE folder_id is not null;--> statement-breakpoint
CREATE TRIGGER `find_answers_insert` AFTER INSERT ON `messages`
WHEN new.`role` = 'assistant' AND new.`status` <> 'streaming' BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`) VALUES ('answer', new.`id`, new.`conversation_id`);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'answer' AND `source` = new.`id`), (SELECT substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
CREATE TRIGGER `find_answers_update` AFTER UPDATE OF `parts` ON `messages`
WHEN new.`role` = 'assistant' AND new.`status` <> 'streaming' BEGIN
	DELETE FROM `find_texts` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'answer' AND `source` = old.`id`);
	DELETE FROM `find_entries` WHERE `kind` = 'answer' AND `source` = old.`id`;
	INSERT INTO `find_entries` (`kind`, `source`, `subject`) VALUES ('answer', new.`id`, new.`conversation_id`);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'answer' AND `source` = new.`id`), (SELECT substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
CREATE TRIGGER `find_answers_delete` AFTER DELETE ON `messages`
WHEN old.`role` = 'assistant' BEGIN
	DELETE FROM `find_texts` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'answer' AND `source` = old.`id`);
	DELETE FROM `find_entries` WHERE `kind` = 'answer' AND `source` = old.`id`;
END;--> statement-breakpoint
INSERT INTO `find_entries` (`kind`, `source`, `subject`)
	SELECT 'answer', `id`, `conversation_id` FROM `messages` WHERE `role` = 'assistant' AND `status` <> 'streaming';--> statement-breakpoint
INSERT INTO `find_texts` (rowid, `body`)
	SELECT e.`id`, (SELECT substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000) FROM json_each(m.`parts`) WHERE json_extract(`value`, '$.type') = 'text')
	FROM `find_entries` e JOIN `messages` m ON m.`id` = e.`source` WHERE e.`kind` = 'answer';
