DROP INDEX `documents_counts`;--> statement-breakpoint
CREATE INDEX `documents_counts` ON `documents` (`org_id`,`visibility`,`deleted_at`,`category_id`,`status`,`chunk_count`,`created_by`,`id`);