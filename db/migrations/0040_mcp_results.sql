CREATE TABLE `tool_files` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`conversation_id` text,
	`run_id` text,
	`name` text NOT NULL,
	`media_type` text NOT NULL,
	`size` integer NOT NULL,
	`sha` text NOT NULL,
	`bytes` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`conversation_id`) REFERENCES `conversations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_id`) REFERENCES `workflow_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `tool_files_conversation` ON `tool_files` (`conversation_id`);--> statement-breakpoint
CREATE INDEX `tool_files_run` ON `tool_files` (`run_id`);--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `prompts` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `resources` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `uses_oauth` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `credentials` text;