ALTER TABLE `documents` ADD `batch_id` text;--> statement-breakpoint
ALTER TABLE `documents` ADD `last_job` text;--> statement-breakpoint
CREATE INDEX `documents_batch` ON `documents` (`batch_id`) WHERE batch_id is not null;--> statement-breakpoint
UPDATE `documents` SET
  `batch_id` = (
    SELECT j.`batch_id` FROM `ingest_jobs` j WHERE j.`document_id` = `documents`.`id` AND j.`batch_id` IS NOT NULL
    ORDER BY j.`created_at` DESC, j.`id` DESC LIMIT 1),
  -- A patch leaves out what is null.
  `last_job` = (
    SELECT json_patch('{}', json_object(
      'id', j.`id`, 'state', j.`state`, 'at', coalesce(j.`finished_at`, j.`created_at`),
      'error', CASE WHEN j.`state` <> 'done' THEN j.`error` END, 'code', j.`input` -> '$.code',
      'versionId', j.`version_id`, 'outcome', j.`input` -> '$.outcome',
      'wordsOnly', j.`input` -> '$.wordsOnly', 'deleted', j.`input` -> '$.deleted'))
    FROM `ingest_jobs` j
    WHERE j.`document_id` = `documents`.`id` AND j.`kind` IN ('ingest', 'refresh')
      AND j.`state` IN ('done', 'failed', 'cancelled') AND j.`input` ->> '$.outcome' IS NOT 'duplicate'
    ORDER BY j.`finished_at` DESC, j.`created_at` DESC, j.`id` DESC LIMIT 1);--> statement-breakpoint
-- A job without its record had nothing left to do.
DELETE FROM `jobs` WHERE `kind` IN ('documents.ingest', 'documents.sitemap', 'documents.update', 'documents.purge')
  AND `state` IN ('scheduled', 'queued', 'waiting', 'running')
  AND NOT EXISTS (SELECT 1 FROM `ingest_jobs` j WHERE j.`id` = `jobs`.`id` AND j.`state` IN ('queued', 'running'));--> statement-breakpoint
UPDATE `jobs` SET `input` = (
  SELECT json_patch('{}', json_patch(j.`input`, json_object(
    'documentId', j.`document_id`, 'versionId', j.`version_id`, 'batchId', j.`batch_id`,
    'refresh', CASE WHEN j.`kind` = 'refresh' THEN json('true') END)))
  FROM `ingest_jobs` j WHERE j.`id` = `jobs`.`id`)
WHERE `kind` IN ('documents.ingest', 'documents.sitemap', 'documents.update', 'documents.purge')
  AND EXISTS (SELECT 1 FROM `ingest_jobs` j WHERE j.`id` = `jobs`.`id`);--> statement-breakpoint
DROP TABLE `ingest_jobs`;--> statement-breakpoint
DROP TABLE `ingest_batches`;
