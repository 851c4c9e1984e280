ALTER TABLE `model_settings` ADD `audio_minute_cost` real;--> statement-breakpoint
ALTER TABLE `model_settings` ADD `character_cost` real;--> statement-breakpoint
ALTER TABLE `usage_days` ADD `audio_seconds` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_days` ADD `characters` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `audio_seconds` integer;--> statement-breakpoint
ALTER TABLE `usage_records` ADD `characters` integer;
