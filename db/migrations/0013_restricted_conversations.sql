ALTER TABLE `conversations` ADD `restricted_at` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `sharing_allowed_at` integer;