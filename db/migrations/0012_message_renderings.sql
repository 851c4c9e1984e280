CREATE TABLE `message_renderings` (
	`message_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`trees` text NOT NULL,
	`nodes` integer NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade
);
