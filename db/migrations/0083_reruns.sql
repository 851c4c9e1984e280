ALTER TABLE `workflow_runs` ADD `rerun` text;
--> statement-breakpoint
ALTER TABLE `workflow_runs` ADD `runs_as` text;
