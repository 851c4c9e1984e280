CREATE TABLE `conversation_folder_members` (
	`folder_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	PRIMARY KEY(`folder_id`, `user_id`),
	FOREIGN KEY (`folder_id`) REFERENCES `conversation_folders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `conversation_folder_members_user` ON `conversation_folder_members` (`user_id`);--> statement-breakpoint
DROP INDEX `documents_counts`;--> statement-breakpoint
ALTER TABLE `documents` ADD `folder_id` text REFERENCES conversation_folders(id) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `documents_folder` ON `documents` (`folder_id`) WHERE folder_id is not null;--> statement-breakpoint
CREATE INDEX `documents_counts` ON `documents` (`org_id`,`visibility`,`deleted_at`,`category_id`,`status`,`chunk_count`,`created_by`,`folder_id`,`id`);--> statement-breakpoint
ALTER TABLE `conversation_folders` ADD `instructions` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `conversation_folders` ADD `persona_id` text REFERENCES personas(id) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `conversation_folders_persona` ON `conversation_folders` (`persona_id`) WHERE persona_id is not null;--> statement-breakpoint
-- By hand from here: the owner and the members of a project see its files.
DROP VIEW `document_viewers`;--> statement-breakpoint
CREATE VIEW `document_viewers` AS
	SELECT `id` AS `document_id`, CAST('*' AS text) AS `user_id` FROM `documents`
		WHERE `visibility` = 'organisation' AND `deleted_at` IS NULL
	UNION ALL
	SELECT `id`, `created_by` FROM `documents` WHERE `visibility` = 'named' AND `deleted_at` IS NULL
	UNION ALL
	SELECT r.`document_id`, r.`user_id` FROM `document_readers` r JOIN `documents` d ON d.`id` = r.`document_id`
		WHERE d.`visibility` = 'named' AND d.`deleted_at` IS NULL
	UNION ALL
	SELECT g.`document_id`, m.`user_id` FROM `document_reader_groups` g
		JOIN `group_members` m ON m.`group_id` = g.`group_id` JOIN `documents` d ON d.`id` = g.`document_id`
		WHERE d.`visibility` = 'named' AND d.`deleted_at` IS NULL
	UNION ALL
	SELECT d.`id`, f.`user_id` FROM `documents` d JOIN `conversation_folders` f ON f.`id` = d.`folder_id`
		WHERE d.`visibility` = 'named' AND d.`deleted_at` IS NULL
	UNION ALL
	SELECT d.`id`, m.`user_id` FROM `documents` d JOIN `conversation_folder_members` m ON m.`folder_id` = d.`folder_id`
		WHERE d.`visibility` = 'named' AND d.`deleted_at` IS NULL;
--> statement-breakpoint
ALTER TABLE `model_settings` ADD `groups` text;
