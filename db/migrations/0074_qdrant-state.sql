ALTER TABLE `search_indexes` ADD `is_lost` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `search_indexes` ADD `search_ef` integer;--> statement-breakpoint
ALTER TABLE `search_indexes` ADD `recall` real;