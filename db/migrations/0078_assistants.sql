ALTER TABLE `personas` ADD `assistants` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `personas` ADD `assistant_steps` integer DEFAULT 3 NOT NULL;--> statement-breakpoint
ALTER TABLE `personas` ADD `assistant_budget` real DEFAULT 0.1 NOT NULL;