CREATE INDEX `documents_version` ON `documents` (`version_id`);--> statement-breakpoint
CREATE INDEX `documents_category` ON `documents` (`category_id`);--> statement-breakpoint
CREATE INDEX `ingest_batches_created` ON `ingest_batches` (`created_at`);--> statement-breakpoint
CREATE INDEX `ingest_jobs_version` ON `ingest_jobs` (`version_id`);--> statement-breakpoint
CREATE INDEX `ingest_jobs_finished` ON `ingest_jobs` (`finished_at`,`id`);--> statement-breakpoint
CREATE INDEX `retrieval_passages_document` ON `retrieval_passages` (`document_id`);