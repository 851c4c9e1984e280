CREATE TABLE `stored_files` (
	`path` text PRIMARY KEY NOT NULL,
	`sha` text,
	`bytes` integer,
	`state` text NOT NULL,
	`changed_at` integer NOT NULL,
	`removed_at` integer
);
--> statement-breakpoint
CREATE INDEX `stored_files_state` ON `stored_files` (`state`,`changed_at`);--> statement-breakpoint
CREATE INDEX `stored_files_sha` ON `stored_files` (`sha`);--> statement-breakpoint
CREATE INDEX `stored_files_removed` ON `stored_files` (`removed_at`);--> statement-breakpoint
CREATE TABLE `audit_starts` (
	`id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);

--> statement-breakpoint
-- By hand: the files that are there already. A text's size and an output's SHA-256 are known once they are copied.
INSERT OR IGNORE INTO `stored_files` (`path`, `sha`, `bytes`, `state`, `changed_at`)
  SELECT 'attachments/' || `sha`, `sha`, `size`, 'waiting', unixepoch() * 1000 FROM `attachments`;
--> statement-breakpoint
INSERT OR IGNORE INTO `stored_files` (`path`, `sha`, `state`, `changed_at`)
  SELECT 'attachments/' || `text_sha`, `text_sha`, 'waiting', unixepoch() * 1000 FROM `attachments` WHERE `text_sha` IS NOT NULL;
--> statement-breakpoint
INSERT OR IGNORE INTO `stored_files` (`path`, `bytes`, `state`, `changed_at`)
  SELECT 'runs/' || `run_id` || '/' || json_extract(`output`, '$."$file"'), json_extract(`output`, '$.bytes'), 'waiting', unixepoch() * 1000
  FROM `workflow_run_steps` WHERE `output` LIKE '{"$file":"out\_%.json","key":%' ESCAPE '\' AND json_valid(`output`);
