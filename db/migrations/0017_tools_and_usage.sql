CREATE TABLE `usage_days` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`source` text NOT NULL,
	`model` text NOT NULL,
	`provider_id` text NOT NULL,
	`user_id` text NOT NULL,
	`persona_id` text NOT NULL,
	`workflow_id` text NOT NULL,
	`token_id` text NOT NULL,
	`tool` text NOT NULL,
	`requests` integer NOT NULL,
	`errors` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	`unpriced` integer NOT NULL,
	`first_token_ms` integer NOT NULL,
	`first_tokens` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`, `source`, `model`, `provider_id`, `user_id`, `persona_id`, `workflow_id`, `token_id`, `tool`),
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
DROP INDEX `usage_records_sums`;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `workflow_id` text;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `run_id` text;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `step_id` text;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `plugin_id` text;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `persona_id` text;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `tool` text;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `day` text;--> statement-breakpoint
CREATE INDEX `usage_records_unsummed` ON `usage_records` (`created_at`) WHERE day is null;