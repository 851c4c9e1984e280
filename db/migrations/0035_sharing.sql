CREATE TABLE `persona_groups` (
	`persona_id` text NOT NULL,
	`group_id` text NOT NULL,
	PRIMARY KEY(`persona_id`, `group_id`),
	FOREIGN KEY (`persona_id`) REFERENCES `personas`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `persona_groups_group` ON `persona_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `conversation_imports` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`file_name` text NOT NULL,
	`state` text NOT NULL,
	`report` text NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `conversation_imports_user` ON `conversation_imports` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `conversation_links` (
	`id` text PRIMARY KEY NOT NULL,
	`conversation_id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`message_id` text NOT NULL,
	`expires_at` integer,
	`last_opened_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `conversation_links_secret` ON `conversation_links` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `conversation_links_conversation` ON `conversation_links` (`conversation_id`);--> statement-breakpoint
CREATE TABLE `conversation_readers` (
	`conversation_id` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`conversation_id`, `user_id`),
	FOREIGN KEY (`conversation_id`) REFERENCES `conversation_shares`(`conversation_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `conversation_readers_user` ON `conversation_readers` (`user_id`);--> statement-breakpoint
CREATE TABLE `conversation_shares` (
	`conversation_id` text PRIMARY KEY NOT NULL,
	`audience` text NOT NULL,
	`message_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `imported_conversations` (
	`user_id` text NOT NULL,
	`source` text NOT NULL,
	`conversation_id` text NOT NULL,
	`import_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `source`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`import_id`) REFERENCES `conversation_imports`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `imported_conversations_conversation` ON `imported_conversations` (`conversation_id`);--> statement-breakpoint
CREATE INDEX `imported_conversations_import` ON `imported_conversations` (`import_id`);--> statement-breakpoint
CREATE TABLE `prompts` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`text` text NOT NULL,
	`shared` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `prompts_author` ON `prompts` (`org_id`,`created_by`);--> statement-breakpoint
CREATE INDEX `prompts_org` ON `prompts` (`org_id`,`name`);--> statement-breakpoint
ALTER TABLE `personas` ADD `approval` text DEFAULT 'default' NOT NULL;--> statement-breakpoint
ALTER TABLE `personas` ADD `visibility` text DEFAULT 'everyone' NOT NULL;