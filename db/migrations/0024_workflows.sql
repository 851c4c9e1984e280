CREATE TABLE `workflow_hook_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`workflow_id` text NOT NULL,
	`trigger_id` text NOT NULL,
	`status` integer NOT NULL,
	`reason` text,
	`run_id` text,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `workflow_hook_calls_trigger` ON `workflow_hook_calls` (`workflow_id`,`trigger_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `workflow_hooks` (
	`token` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`workflow_id` text NOT NULL,
	`trigger_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_hooks_trigger` ON `workflow_hooks` (`workflow_id`,`trigger_id`);--> statement-breakpoint
CREATE TABLE `workflow_run_steps` (
	`run_id` text NOT NULL,
	`key` text NOT NULL,
	`step_id` text NOT NULL,
	`type` text NOT NULL,
	`position` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`input` text,
	`output` text,
	`branch` text,
	`error` text,
	`log` text,
	`input_tokens` integer,
	`output_tokens` integer,
	`cost_micros` integer,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`run_id`, `key`),
	FOREIGN KEY (`run_id`) REFERENCES `workflow_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `workflow_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`workflow_id` text NOT NULL,
	`version` integer NOT NULL,
	`state` text NOT NULL,
	`trigger_id` text NOT NULL,
	`trigger_type` text NOT NULL,
	`payload` text NOT NULL,
	`started_by` text,
	`parent_run_id` text,
	`depth` integer DEFAULT 0 NOT NULL,
	`idempotency_key` text,
	`output` text,
	`error` text,
	`step_id` text,
	`crashes` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `workflow_runs_open` ON `workflow_runs` (`created_at`) WHERE state in ('queued', 'running', 'waiting');--> statement-breakpoint
CREATE INDEX `workflow_runs_workflow` ON `workflow_runs` (`workflow_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `workflow_runs_org` ON `workflow_runs` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `workflow_runs_finished` ON `workflow_runs` (`finished_at`) WHERE finished_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_runs_idempotency` ON `workflow_runs` (`workflow_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE TABLE `workflow_versions` (
	`workflow_id` text NOT NULL,
	`version` integer NOT NULL,
	`definition` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workflow_id`, `version`),
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `workflows` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`enabled` integer NOT NULL,
	`version` integer NOT NULL,
	`runs_as` text NOT NULL,
	`paused_reason` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `workflows_org` ON `workflows` (`org_id`,`created_at`);