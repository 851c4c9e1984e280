ALTER TABLE `model_settings` ADD `image_cost` real;--> statement-breakpoint
ALTER TABLE `usage_days` ADD `images` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `images` integer;
