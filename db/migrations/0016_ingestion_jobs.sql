DROP INDEX `ingest_jobs_queue`;--> statement-breakpoint
DROP INDEX `jobs_next`;--> statement-breakpoint
CREATE INDEX `jobs_next` ON `jobs` (`lane`,`owner`,"priority" desc,`run_at`) WHERE state = 'queued';--> statement-breakpoint
UPDATE `ingest_jobs` SET `state` = 'queued' WHERE `state` = 'running';--> statement-breakpoint
INSERT OR IGNORE INTO `jobs` (`id`, `org_id`, `kind`, `lane`, `owner`, `subject`, `state`, `run_at`, `attempts`, `input`, `error`, `actor`, `created_at`, `finished_at`, `keep_until`)
SELECT `id`, `org_id`,
  CASE WHEN `kind` = 'sitemap' THEN 'documents.sitemap'
    WHEN `kind` = 'purge' AND (`input` ->> '$.renamed' OR `input` ->> '$.moved') THEN 'documents.update'
    WHEN `kind` = 'purge' THEN 'documents.purge'
    ELSE 'documents.ingest' END,
  CASE WHEN `kind` = 'purge' AND NOT coalesce(`input` ->> '$.renamed' OR `input` ->> '$.moved', 0) THEN 'maintenance' ELSE 'interactive' END,
  `user_id`,
  CASE WHEN `document_id` IS NULL THEN 'batch:' || `batch_id` ELSE 'document:' || `document_id` END,
  CASE WHEN `state` = 'failed' THEN 'failed' ELSE 'scheduled' END,
  `run_at`, `attempts`, '{}', CASE WHEN `state` = 'failed' THEN `error` END,
  '{"kind":"system","userId":"system","role":"owner"}', `created_at`,
  CASE WHEN `state` = 'failed' THEN `finished_at` END,
  CASE WHEN `state` = 'failed' THEN coalesce(`finished_at`, `created_at`) + 2592000000 END
FROM `ingest_jobs` WHERE `state` IN ('queued', 'failed');
