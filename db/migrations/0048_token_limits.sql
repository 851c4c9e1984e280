ALTER TABLE `budget_reservations` ADD `spent` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `conversation_imports` ADD `digest` text;--> statement-breakpoint
ALTER TABLE `workflow_runs` ADD `token` text;