CREATE TABLE `recognized_pages` (
	`version_id` text NOT NULL,
	`page` integer NOT NULL,
	`text` text,
	PRIMARY KEY(`version_id`, `page`),
	FOREIGN KEY (`version_id`) REFERENCES `document_versions`(`id`) ON UPDATE no action ON DELETE cascade
);
