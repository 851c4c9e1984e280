CREATE TABLE `audit_streams` (
	`org_id` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`version` integer NOT NULL,
	`position` integer NOT NULL,
	`succeeded_at` integer,
	`failed_at` integer,
	`error` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
