CREATE TABLE `widget_conversations` (
	`id` text PRIMARY KEY NOT NULL,
	`widget_id` text NOT NULL,
	`visitor_hash` text NOT NULL,
	`questions` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`widget_id`) REFERENCES `widgets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `widget_conversations_widget` ON `widget_conversations` (`widget_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE TABLE `widget_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`conversation_id` text NOT NULL,
	`position` integer NOT NULL,
	`role` text NOT NULL,
	`content` text NOT NULL,
	`sources` text DEFAULT '[]' NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`conversation_id`) REFERENCES `widget_conversations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widget_messages_position` ON `widget_messages` (`conversation_id`,`position`);--> statement-breakpoint
CREATE TABLE `widgets` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`token` text NOT NULL,
	`enabled` integer NOT NULL,
	`persona_id` text,
	`model` text NOT NULL,
	`settings` text NOT NULL,
	`expires_at` integer,
	`deleted_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_token` ON `widgets` (`token`);--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_name` ON `widgets` (`org_id`,`name`) WHERE deleted_at is null;
