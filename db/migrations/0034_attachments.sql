CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text,
	`conversation_id` text,
	`name` text NOT NULL,
	`media_type` text NOT NULL,
	`size` integer NOT NULL,
	`sha` text NOT NULL,
	`text_sha` text,
	`text_length` integer,
	`tokens` integer NOT NULL,
	`width` integer,
	`height` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attachments_conversation` ON `attachments` (`conversation_id`);--> statement-breakpoint
CREATE INDEX `attachments_unsent` ON `attachments` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `attachments_sha` ON `attachments` (`sha`);--> statement-breakpoint
CREATE INDEX `attachments_text` ON `attachments` (`text_sha`);