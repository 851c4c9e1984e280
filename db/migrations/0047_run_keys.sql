CREATE TABLE `workflow_run_keys` (
	`workflow_id` text NOT NULL,
	`key` text NOT NULL,
	`run_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workflow_id`, `key`),
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `workflow_run_keys_created` ON `workflow_run_keys` (`created_at`);--> statement-breakpoint
INSERT INTO `workflow_run_keys` (`workflow_id`, `key`, `run_id`, `created_at`) SELECT `workflow_id`, `idempotency_key`, `id`, `created_at` FROM `workflow_runs` WHERE `idempotency_key` IS NOT NULL;--> statement-breakpoint
DROP INDEX `workflow_runs_idempotency`;--> statement-breakpoint
ALTER TABLE `workflow_runs` DROP COLUMN `idempotency_key`;