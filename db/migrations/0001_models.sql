CREATE TABLE `comparisons` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`prompt` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `comparisons_user` ON `comparisons` (`org_id`,`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `discovered_models` (
	`org_id` text NOT NULL,
	`hub` text NOT NULL,
	`model_id` text NOT NULL,
	`position` integer NOT NULL,
	`facts` text NOT NULL,
	`fallback` integer DEFAULT false NOT NULL,
	`fetched_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `hub`, `model_id`),
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `model_settings` (
	`org_id` text NOT NULL,
	`model_id` text NOT NULL,
	`source` text,
	`provider_type` text,
	`name` text,
	`description` text,
	`max_tokens` integer,
	`input_cost` real,
	`output_cost` real,
	`capabilities` text,
	`downloads` integer,
	`hidden` integer DEFAULT false NOT NULL,
	`recommended` integer,
	`routing` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `model_id`),
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `models` text;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `requests_per_minute` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `comparison_id` text REFERENCES comparisons(id) ON DELETE cascade;--> statement-breakpoint
CREATE INDEX `conversations_comparison` ON `conversations` (`comparison_id`);--> statement-breakpoint
ALTER TABLE `providers` ADD `priority` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `source` text DEFAULT 'chat' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `token_id` text;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `route` text;