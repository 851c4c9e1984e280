ALTER TABLE `model_settings` ADD `search_unit_cost` real;--> statement-breakpoint
ALTER TABLE `usage_days` ADD `search_units` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `search_units` integer;
