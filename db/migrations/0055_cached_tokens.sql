ALTER TABLE `usage_days` ADD `cache_read_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_days` ADD `cache_write_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `cache_read_tokens` integer;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `cache_write_tokens` integer;