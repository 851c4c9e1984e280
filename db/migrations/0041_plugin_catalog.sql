CREATE TABLE `plugin_catalogs` (
	`url` text PRIMARY KEY NOT NULL,
	`entries` text NOT NULL,
	`skipped` text NOT NULL,
	`problem` text,
	`checked_at` integer NOT NULL
);
