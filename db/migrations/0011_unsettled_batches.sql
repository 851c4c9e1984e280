ALTER TABLE `ingest_batches` ADD `dismissed_at` integer;--> statement-breakpoint
CREATE INDEX `ingest_batches_user` ON `ingest_batches` (`org_id`,`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `ingest_jobs_unsettled` ON `ingest_jobs` (`batch_id`) WHERE state in ('queued', 'running', 'failed') and batch_id is not null;