CREATE TABLE `mcp_accounts` (
	`org_id` text NOT NULL,
	`server_id` text NOT NULL,
	`user_id` text NOT NULL,
	`credentials` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`server_id`, `user_id`),
	FOREIGN KEY (`org_id`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`server_id`) REFERENCES `mcp_servers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mcp_accounts_user` ON `mcp_accounts` (`user_id`);--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `accounts` text DEFAULT 'shared' NOT NULL;