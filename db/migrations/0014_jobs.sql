CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text,
	`kind` text NOT NULL,
	`lane` text NOT NULL,
	`owner` text NOT NULL,
	`subject` text,
	`dedupe_key` text,
	`state` text NOT NULL,
	`priority` integer DEFAULT 0 NOT NULL,
	`run_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`crashes` integer DEFAULT 0 NOT NULL,
	`input` text NOT NULL,
	`checkpoint` text,
	`progress` text,
	`error` text,
	`actor` text NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`keep_until` integer
);
--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`run_at`) WHERE state = 'scheduled';--> statement-breakpoint
CREATE INDEX `jobs_next` ON `jobs` (`lane`,`owner`,"priority" desc,`run_at`,`id`) WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX `jobs_running` ON `jobs` (`lane`) WHERE state = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_dedupe` ON `jobs` (`kind`,`dedupe_key`) WHERE dedupe_key is not null and state in ('scheduled', 'queued', 'running', 'waiting');--> statement-breakpoint
CREATE INDEX `jobs_subject` ON `jobs` (`subject`) WHERE subject is not null;--> statement-breakpoint
CREATE INDEX `jobs_kind` ON `jobs` (`org_id`,`kind`,`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_kept` ON `jobs` (`keep_until`) WHERE keep_until is not null;--> statement-breakpoint
CREATE TABLE `schedule_fires` (
	`schedule_key` text NOT NULL,
	`due_at` integer NOT NULL,
	`outcome` text NOT NULL,
	`job_id` text,
	PRIMARY KEY(`schedule_key`, `due_at`)
);
--> statement-breakpoint
CREATE TABLE `schedules` (
	`key` text PRIMARY KEY NOT NULL,
	`org_id` text,
	`kind` text NOT NULL,
	`cron` text,
	`every_ms` integer,
	`time_zone` text NOT NULL,
	`input` text NOT NULL,
	`next_at` integer
);
--> statement-breakpoint
CREATE INDEX `schedules_next` ON `schedules` (`next_at`) WHERE next_at is not null;