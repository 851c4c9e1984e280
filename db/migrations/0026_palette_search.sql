CREATE TABLE `find_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`source` text NOT NULL,
	`subject` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `find_entries_source` ON `find_entries` (`kind`,`source`);--> statement-breakpoint
CREATE VIRTUAL TABLE `find_names` USING fts5(`name`, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');--> statement-breakpoint
CREATE VIRTUAL TABLE `find_texts` USING fts5(`body`, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3');--> statement-breakpoint
CREATE TRIGGER `find_conversations_insert` AFTER INSERT ON `conversations` BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`) VALUES ('conversation', new.`id`, new.`id`);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = new.`id`), new.`title`);
END;--> statement-breakpoint
CREATE TRIGGER `find_conversations_update` AFTER UPDATE OF `title` ON `conversations`
WHEN old.`title` IS NOT new.`title` BEGIN
	DELETE FROM `find_names` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = new.`id`);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = new.`id`), new.`title`);
END;--> statement-breakpoint
CREATE TRIGGER `find_conversations_delete` AFTER DELETE ON `conversations` BEGIN
	DELETE FROM `find_names` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = old.`id`);
	DELETE FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `find_documents_insert` AFTER INSERT ON `documents` BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`) VALUES ('document', new.`id`, new.`id`);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'document' AND `source` = new.`id`), new.`name`);
END;--> statement-breakpoint
CREATE TRIGGER `find_documents_update` AFTER UPDATE OF `name` ON `documents`
WHEN old.`name` IS NOT new.`name` BEGIN
	DELETE FROM `find_names` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'document' AND `source` = new.`id`);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'document' AND `source` = new.`id`), new.`name`);
END;--> statement-breakpoint
CREATE TRIGGER `find_documents_delete` AFTER DELETE ON `documents` BEGIN
	DELETE FROM `find_names` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'document' AND `source` = old.`id`);
	DELETE FROM `find_entries` WHERE `kind` = 'document' AND `source` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `find_messages_insert` AFTER INSERT ON `messages`
WHEN new.`role` = 'user' BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`) VALUES ('message', new.`id`, new.`conversation_id`);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'message' AND `source` = new.`id`), (SELECT substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
CREATE TRIGGER `find_messages_update` AFTER UPDATE OF `parts` ON `messages`
WHEN new.`role` = 'user' AND old.`parts` IS NOT new.`parts` BEGIN
	DELETE FROM `find_texts` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'message' AND `source` = new.`id`);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'message' AND `source` = new.`id`), (SELECT substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
CREATE TRIGGER `find_messages_delete` AFTER DELETE ON `messages`
WHEN old.`role` = 'user' BEGIN
	DELETE FROM `find_texts` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'message' AND `source` = old.`id`);
	DELETE FROM `find_entries` WHERE `kind` = 'message' AND `source` = old.`id`;
END;--> statement-breakpoint
INSERT INTO `find_entries` (`kind`, `source`, `subject`)
	SELECT 'conversation', `id`, `id` FROM `conversations`
	UNION ALL SELECT 'document', `id`, `id` FROM `documents`
	UNION ALL SELECT 'message', `id`, `conversation_id` FROM `messages` WHERE `role` = 'user';--> statement-breakpoint
INSERT INTO `find_names` (rowid, `name`)
	SELECT e.`id`, coalesce(c.`title`, d.`name`) FROM `find_entries` e
	LEFT JOIN `conversations` c ON e.`kind` = 'conversation' AND c.`id` = e.`source`
	LEFT JOIN `documents` d ON e.`kind` = 'document' AND d.`id` = e.`source`
	WHERE e.`kind` <> 'message';--> statement-breakpoint
INSERT INTO `find_texts` (rowid, `body`)
	SELECT e.`id`, (SELECT substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000) FROM json_each(m.`parts`) WHERE json_extract(`value`, '$.type') = 'text')
	FROM `find_entries` e JOIN `messages` m ON m.`id` = e.`source` WHERE e.`kind` = 'message';
