CREATE TABLE `skills` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`markdown` text NOT NULL,
	`shared` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `skills_name` ON `skills` (`org_id`,`name`);--> statement-breakpoint
CREATE INDEX `skills_author` ON `skills` (`org_id`,`created_by`);--> statement-breakpoint
ALTER TABLE `personas` ADD `skills` text DEFAULT '[]' NOT NULL;