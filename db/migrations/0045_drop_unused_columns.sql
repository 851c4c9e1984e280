DROP INDEX `ingest_jobs_unsettled`;--> statement-breakpoint
ALTER TABLE `document_categories` DROP COLUMN `leaving`;--> statement-breakpoint
ALTER TABLE `chunk_sets` DROP COLUMN `words_form`;