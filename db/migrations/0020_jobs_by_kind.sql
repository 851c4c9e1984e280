DROP INDEX `jobs_next`;--> statement-breakpoint
DROP INDEX `jobs_kind`;--> statement-breakpoint
CREATE INDEX `jobs_next` ON `jobs` (`lane`,`owner`,`kind`,"priority" desc,`run_at`) WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX `jobs_kind` ON `jobs` (`kind`,`state`,`created_at`,`org_id`);