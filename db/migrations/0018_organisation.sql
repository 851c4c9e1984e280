CREATE TABLE `document_reader_groups` (
	`document_id` text NOT NULL,
	`group_id` text NOT NULL,
	PRIMARY KEY(`document_id`, `group_id`),
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `document_reader_groups_group` ON `document_reader_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `group_members` (
	`group_id` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`),
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `group_members_user` ON `group_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_name` ON `groups` (`org_id`,`name`);--> statement-breakpoint
CREATE INDEX `documents_creator` ON `documents` (`org_id`,`created_by`,`visibility`,`deleted_at`);--> statement-breakpoint
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
		WHERE d.`visibility` = 'named' AND d.`deleted_at` IS NULL;--> statement-breakpoint
-- Restricted documents of people who were removed before: nobody could change or delete them any more. They go to the
-- first owner, who decides on them.
UPDATE `documents` SET `created_by` = (
	SELECT u.`id` FROM `users` u WHERE u.`org_id` = `documents`.`org_id` AND u.`role` = 'owner' AND u.`status` = 'active'
		ORDER BY u.`created_at`, u.`id` LIMIT 1
)
	WHERE `visibility` = 'named'
	AND `created_by` IN (SELECT `id` FROM `users` WHERE `status` = 'removed')
	AND EXISTS (
		SELECT 1 FROM `users` u WHERE u.`org_id` = `documents`.`org_id` AND u.`role` = 'owner' AND u.`status` = 'active'
	);
