ALTER TABLE `documents` ADD `parent_id` text REFERENCES documents(id) ON DELETE set null;--> statement-breakpoint
ALTER TABLE `documents` ADD `same_name_as` text REFERENCES documents(id) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `documents_parent` ON `documents` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
CREATE INDEX `documents_same_name` ON `documents` (`same_name_as`) WHERE same_name_as is not null;