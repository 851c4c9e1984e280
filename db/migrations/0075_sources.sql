CREATE TABLE `source_files` (
	`source_id` text NOT NULL,
	`path` text NOT NULL,
	`etag` text,
	`size` integer,
	`link` text,
	`state` text NOT NULL,
	`reason` text,
	`document_id` text,
	`missing_since` integer,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`source_id`, `path`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `source_files_changed` ON `source_files` (`source_id`,`changed_at`,`path`);--> statement-breakpoint
CREATE INDEX `source_files_document` ON `source_files` (`document_id`) WHERE document_id is not null;--> statement-breakpoint
CREATE TABLE `sources` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`config` text NOT NULL,
	`key_id` text,
	`category_id` text NOT NULL,
	`visibility` text NOT NULL,
	`readers` text DEFAULT '[]' NOT NULL,
	`sync_every` integer,
	`next_at` integer,
	`grace_days` integer NOT NULL,
	`max_files` integer NOT NULL,
	`max_mb` integer NOT NULL,
	`cursor` text,
	`is_retargeted` integer DEFAULT false NOT NULL,
	`last_sync` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sources_org` ON `sources` (`org_id`,`name`);--> statement-breakpoint
CREATE INDEX `sources_next` ON `sources` (`next_at`) WHERE next_at is not null;