CREATE TABLE `guardrail_counts` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`rule` text NOT NULL,
	`refused` integer NOT NULL,
	`masked` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`, `rule`),
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `guardrails` text;