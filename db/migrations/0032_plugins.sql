CREATE TABLE `mcp_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`title` text NOT NULL,
	`transport` text NOT NULL,
	`target` text NOT NULL,
	`keys` text NOT NULL,
	`tools` text NOT NULL,
	`decisions` text NOT NULL,
	`server` text,
	`checked_at` integer,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `mcp_servers_org` ON `mcp_servers` (`org_id`);--> statement-breakpoint
CREATE TABLE `plugin_installations` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`plugin_id` text NOT NULL,
	`enabled` integer NOT NULL,
	`consent` text NOT NULL,
	`settings` text NOT NULL,
	`installs` integer NOT NULL,
	`installed_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `plugin_installations_plugin` ON `plugin_installations` (`org_id`,`plugin_id`);--> statement-breakpoint
CREATE INDEX `plugin_installations_removed` ON `plugin_installations` (`removed_at`);--> statement-breakpoint
CREATE TABLE `plugin_ratings` (
	`org_id` text NOT NULL,
	`plugin_id` text NOT NULL,
	`user_id` text NOT NULL,
	`stars` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `plugin_id`, `user_id`),
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
