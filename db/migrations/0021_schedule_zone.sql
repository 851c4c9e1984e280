PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_schedules` (
	`key` text PRIMARY KEY NOT NULL,
	`org_id` text,
	`kind` text NOT NULL,
	`cron` text,
	`every_ms` integer,
	`time_zone` text,
	`input` text NOT NULL,
	`next_at` integer
);
--> statement-breakpoint
INSERT INTO `__new_schedules`("key", "org_id", "kind", "cron", "every_ms", "time_zone", "input", "next_at") SELECT "key", "org_id", "kind", "cron", "every_ms", "time_zone", "input", "next_at" FROM `schedules`;--> statement-breakpoint
DROP TABLE `schedules`;--> statement-breakpoint
ALTER TABLE `__new_schedules` RENAME TO `schedules`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `schedules_next` ON `schedules` (`next_at`) WHERE next_at is not null;