CREATE TABLE `message_feedback` (
	`message_id` text NOT NULL,
	`user_id` text NOT NULL,
	`rating` text NOT NULL,
	`comment` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`message_id`, `user_id`),
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `message_feedback_user` ON `message_feedback` (`user_id`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `active_message_id` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `parent_id` text;--> statement-breakpoint
UPDATE `messages` SET `parent_id` = (
	SELECT p.`id` FROM `messages` p
	WHERE p.`conversation_id` = `messages`.`conversation_id` AND p.`position` < `messages`.`position` AND p.`superseded_at` IS NULL
	ORDER BY p.`position` DESC LIMIT 1
);--> statement-breakpoint
UPDATE `conversations` SET `active_message_id` = (
	SELECT m.`id` FROM `messages` m
	WHERE m.`conversation_id` = `conversations`.`id` AND m.`superseded_at` IS NULL
	ORDER BY m.`position` DESC LIMIT 1
);--> statement-breakpoint
CREATE INDEX `messages_ancestry` ON `messages` (`id`,`parent_id`,`position`);--> statement-breakpoint
CREATE INDEX `messages_children` ON `messages` (`conversation_id`,`parent_id`,`position`,`role`,`id`);--> statement-breakpoint
ALTER TABLE `messages` DROP COLUMN `superseded_at`;