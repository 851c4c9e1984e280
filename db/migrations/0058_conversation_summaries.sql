CREATE TABLE `conversation_summaries` (
	`message_id` text PRIMARY KEY NOT NULL,
	`conversation_id` text NOT NULL,
	`text` text NOT NULL,
	`model` text NOT NULL,
	`tokens` integer NOT NULL,
	`documents` text NOT NULL,
	`edited_at` integer,
	`undone_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `conversation_summaries_conversation` ON `conversation_summaries` (`conversation_id`);