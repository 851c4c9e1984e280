CREATE TABLE `audit_checkpoints` (
	`up_to_seq` integer PRIMARY KEY NOT NULL,
	`mac` text NOT NULL,
	`count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`dropped_at` integer,
	`signature` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `actor_kind` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `address` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `before` text;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `after` text;