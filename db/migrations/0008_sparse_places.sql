ALTER TABLE `document_categories` ADD `leaving` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Places used to be counted without gaps: from now on a document is put between two others without moving them.
UPDATE `documents` SET `order_index` = (`order_index` + 1) * 65536;