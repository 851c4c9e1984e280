CREATE TABLE `workflow_polls` (
	`workflow_id` text NOT NULL,
	`trigger_id` text NOT NULL,
	`source` text NOT NULL,
	`state` text,
	`next_at` integer NOT NULL,
	`checked_at` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`error` text,
	PRIMARY KEY(`workflow_id`, `trigger_id`),
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `workflow_polls_next` ON `workflow_polls` (`next_at`);
