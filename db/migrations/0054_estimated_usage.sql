ALTER TABLE `usage_days` ADD `estimated` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `estimated` integer DEFAULT false NOT NULL;