ALTER TABLE `conversations` ADD `outside_content_at` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `tool_approvals` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `settings` text;