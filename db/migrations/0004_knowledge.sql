CREATE TABLE `chunk_sets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`key` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `chunk_sets_key` ON `chunk_sets` (`org_id`,`key`);--> statement-breakpoint
CREATE TABLE `chunks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`chunk_set_id` integer NOT NULL,
	`document_id` text NOT NULL,
	`version_id` text NOT NULL,
	`position` integer NOT NULL,
	`text` text NOT NULL,
	`headings` text NOT NULL,
	`start` integer NOT NULL,
	`end` integer NOT NULL,
	`page` integer,
	`tokens` integer NOT NULL,
	`hash` text NOT NULL,
	FOREIGN KEY (`chunk_set_id`) REFERENCES `chunk_sets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`version_id`) REFERENCES `document_versions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `chunks_position` ON `chunks` (`chunk_set_id`,`version_id`,`position`);--> statement-breakpoint
CREATE INDEX `chunks_document` ON `chunks` (`document_id`);--> statement-breakpoint
CREATE INDEX `chunks_version` ON `chunks` (`version_id`);--> statement-breakpoint
CREATE INDEX `chunks_hash` ON `chunks` (`hash`);--> statement-breakpoint
CREATE TABLE `document_categories` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`position` integer NOT NULL,
	`fixed` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `document_categories_name` ON `document_categories` (`org_id`,`name`);--> statement-breakpoint
CREATE TABLE `document_parts` (
	`version_id` text NOT NULL,
	`position` integer NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`version_id`, `position`),
	FOREIGN KEY (`version_id`) REFERENCES `document_versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `document_readers` (
	`document_id` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`document_id`, `user_id`),
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `document_readers_user` ON `document_readers` (`user_id`);--> statement-breakpoint
CREATE TABLE `document_texts` (
	`version_id` text NOT NULL,
	`position` integer NOT NULL,
	`start` integer NOT NULL,
	`text` text NOT NULL,
	`blocks` text NOT NULL,
	PRIMARY KEY(`version_id`, `position`),
	FOREIGN KEY (`version_id`) REFERENCES `document_versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `document_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`document_id` text NOT NULL,
	`number` integer NOT NULL,
	`state` text NOT NULL,
	`error` text,
	`sha256` text,
	`size` integer DEFAULT 0 NOT NULL,
	`file_name` text,
	`content_type` text DEFAULT '' NOT NULL,
	`final_url` text,
	`etag` text,
	`last_modified` text,
	`title` text,
	`text_hash` text,
	`text_length` integer,
	`facts` text DEFAULT '{}' NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`served_at` integer,
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `document_versions_number` ON `document_versions` (`document_id`,`number`);--> statement-breakpoint
CREATE INDEX `document_versions_sha256` ON `document_versions` (`sha256`);--> statement-breakpoint
CREATE INDEX `document_versions_state` ON `document_versions` (`state`);--> statement-breakpoint
CREATE TABLE `documents` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`collection` text DEFAULT 'documents' NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`source` text NOT NULL,
	`category_id` text NOT NULL,
	`order_index` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`visibility` text DEFAULT 'organisation' NOT NULL,
	`version_id` text,
	`excerpt` text DEFAULT '' NOT NULL,
	`chunk_count` integer DEFAULT 0 NOT NULL,
	`refresh_every` integer,
	`refresh_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`category_id`) REFERENCES `document_categories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`version_id`) REFERENCES `document_versions`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `documents_org` ON `documents` (`org_id`,`category_id`,`order_index`,`created_at`);--> statement-breakpoint
CREATE INDEX `documents_source` ON `documents` (`org_id`,`type`,`source`);--> statement-breakpoint
CREATE INDEX `documents_refresh` ON `documents` (`refresh_at`);--> statement-breakpoint
CREATE INDEX `documents_deleted` ON `documents` (`deleted_at`);--> statement-breakpoint
CREATE INDEX `documents_counts` ON `documents` (`org_id`,`visibility`,`deleted_at`,`status`,`chunk_count`);--> statement-breakpoint
CREATE TABLE `embedding_spaces` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`key` text NOT NULL,
	`kind` text NOT NULL,
	`model` text NOT NULL,
	`dimensions` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `embedding_spaces_key` ON `embedding_spaces` (`org_id`,`key`);--> statement-breakpoint
CREATE TABLE `embeddings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`space_id` integer NOT NULL,
	`hash` text NOT NULL,
	`vector` blob NOT NULL,
	FOREIGN KEY (`space_id`) REFERENCES `embedding_spaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `embeddings_content` ON `embeddings` (`space_id`,`hash`);--> statement-breakpoint
CREATE TABLE `index_entries` (
	`index_id` integer NOT NULL,
	`chunk_id` integer NOT NULL,
	PRIMARY KEY(`index_id`, `chunk_id`),
	FOREIGN KEY (`index_id`) REFERENCES `search_indexes`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `ingest_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`label` text NOT NULL,
	`created_at` integer NOT NULL,
	`cancelled_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `ingest_batches_org` ON `ingest_batches` (`org_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `ingest_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`batch_id` text,
	`document_id` text,
	`version_id` text,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`step` text,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`run_at` integer NOT NULL,
	`error` text,
	`input` text DEFAULT '{}' NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`batch_id`) REFERENCES `ingest_batches`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`version_id`) REFERENCES `document_versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `ingest_jobs_queue` ON `ingest_jobs` (`state`,`run_at`);--> statement-breakpoint
CREATE INDEX `ingest_jobs_document` ON `ingest_jobs` (`document_id`);--> statement-breakpoint
CREATE INDEX `ingest_jobs_batch` ON `ingest_jobs` (`batch_id`);--> statement-breakpoint
CREATE INDEX `ingest_jobs_org` ON `ingest_jobs` (`org_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `retrieval_passages` (
	`id` text PRIMARY KEY NOT NULL,
	`question_id` text NOT NULL,
	`document_id` text NOT NULL,
	`quote` text NOT NULL,
	FOREIGN KEY (`question_id`) REFERENCES `retrieval_questions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `retrieval_passages_question` ON `retrieval_passages` (`question_id`);--> statement-breakpoint
CREATE TABLE `retrieval_questions` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`question` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `retrieval_questions_org` ON `retrieval_questions` (`org_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `retrieval_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`index_id` integer,
	`setting` text NOT NULL,
	`hit_rate` real NOT NULL,
	`mrr` real NOT NULL,
	`ndcg` real NOT NULL,
	`results` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `retrieval_runs_org` ON `retrieval_runs` (`org_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `search_indexes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`collection` text DEFAULT 'documents' NOT NULL,
	`chunk_set_id` integer NOT NULL,
	`space_id` integer,
	`store` text NOT NULL,
	`state` text NOT NULL,
	`held` integer DEFAULT false NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`served_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`chunk_set_id`) REFERENCES `chunk_sets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`space_id`) REFERENCES `embedding_spaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `search_indexes_org` ON `search_indexes` (`org_id`,`collection`,`state`);--> statement-breakpoint
-- The cast: only terms of one affinity can be flattened into the asking query; otherwise each asking walks every document.
CREATE VIEW `document_viewers` AS
	SELECT `id` AS `document_id`, CAST('*' AS text) AS `user_id` FROM `documents`
		WHERE `visibility` = 'organisation' AND `deleted_at` IS NULL
	UNION ALL
	SELECT `id`, `created_by` FROM `documents` WHERE `visibility` = 'named' AND `deleted_at` IS NULL
	UNION ALL
	SELECT r.`document_id`, r.`user_id` FROM `document_readers` r JOIN `documents` d ON d.`id` = r.`document_id`
		WHERE d.`visibility` = 'named' AND d.`deleted_at` IS NULL;
