CREATE TABLE `workflow_pins` (
	`workflow_id` text NOT NULL,
	`step_id` text NOT NULL,
	`output` text,
	`branch` text,
	`run_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workflow_id`, `step_id`),
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
