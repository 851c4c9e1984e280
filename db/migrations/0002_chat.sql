PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_usage_records` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`conversation_id` text,
	`message_id` text,
	`provider_id` text,
	`provider_type` text NOT NULL,
	`model` text NOT NULL,
	`input_tokens` integer,
	`output_tokens` integer,
	`cost_micros` integer,
	`first_token_ms` integer,
	`duration_ms` integer,
	`outcome` text NOT NULL,
	`error_code` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_usage_records`("id", "org_id", "user_id", "conversation_id", "provider_id", "provider_type", "model", "input_tokens", "output_tokens", "cost_micros", "first_token_ms", "duration_ms", "outcome", "error_code", "created_at") SELECT "id", "org_id", "user_id", "conversation_id", "provider_id", "provider_type", "model", "input_tokens", "output_tokens", "cost_micros", "first_token_ms", "duration_ms", "outcome", "error_code", "created_at" FROM `usage_records`;--> statement-breakpoint
DROP TABLE `usage_records`;--> statement-breakpoint
ALTER TABLE `__new_usage_records` RENAME TO `usage_records`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `usage_records_org` ON `usage_records` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `usage_records_provider` ON `usage_records` (`provider_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `settings` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `metrics` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `superseded_at` integer;