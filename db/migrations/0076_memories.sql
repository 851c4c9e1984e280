CREATE TABLE `memories` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`text` text NOT NULL,
	`kept_at` integer,
	`conversation_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `memories_user` ON `memories` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `memories_conversation` ON `memories` (`conversation_id`) WHERE conversation_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `user_settings` ADD `memory` integer;