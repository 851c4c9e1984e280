CREATE TABLE `error_reports` (
	`fingerprint` text PRIMARY KEY NOT NULL,
	`message` text NOT NULL,
	`detail` text,
	`stack` text,
	`request_id` text,
	`count` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `error_reports_last` ON `error_reports` (`last_at`);