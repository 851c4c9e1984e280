CREATE TABLE `conversation_reader_groups` (
	`conversation_id` text NOT NULL,
	`group_id` text NOT NULL,
	PRIMARY KEY(`conversation_id`, `group_id`),
	FOREIGN KEY (`conversation_id`) REFERENCES `conversation_shares`(`conversation_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `conversation_reader_groups_group` ON `conversation_reader_groups` (`group_id`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `unread_at` integer;