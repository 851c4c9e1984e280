CREATE TABLE `evaluation_items` (
	`run_id` text NOT NULL,
	`position` integer NOT NULL,
	`question` text NOT NULL,
	`expects` text NOT NULL,
	PRIMARY KEY(`run_id`, `position`)
);
--> statement-breakpoint
CREATE TABLE `evaluation_questions` (
	`id` text PRIMARY KEY NOT NULL,
	`set_id` text NOT NULL,
	`question` text NOT NULL,
	`expects` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`set_id`) REFERENCES `evaluation_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `evaluation_questions_set` ON `evaluation_questions` (`set_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `evaluation_results` (
	`run_id` text NOT NULL,
	`position` integer NOT NULL,
	`subject` integer NOT NULL,
	`outcome` text,
	`cost_micros` integer,
	`duration_ms` integer NOT NULL,
	`cited` text NOT NULL,
	`reasons` text NOT NULL,
	`answer` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`run_id`, `position`, `subject`)
);
--> statement-breakpoint
CREATE TABLE `evaluation_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`set_id` text NOT NULL,
	`state` text NOT NULL,
	`error` text,
	`subjects` text NOT NULL,
	`instructions` text NOT NULL,
	`judge` text,
	`limit_micros` integer,
	`figures` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`set_id`) REFERENCES `evaluation_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `evaluation_runs_set` ON `evaluation_runs` (`set_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `evaluation_sets` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`shared` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `evaluation_sets_org` ON `evaluation_sets` (`org_id`,`name`);--> statement-breakpoint
CREATE INDEX `evaluation_sets_author` ON `evaluation_sets` (`org_id`,`created_by`);--> statement-breakpoint
ALTER TABLE `message_feedback` ADD `shared` integer DEFAULT false NOT NULL;
