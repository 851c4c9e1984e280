ALTER TABLE `find_entries` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `find_entries_outdated` ON `find_entries` (`id`) WHERE version < 2;--> statement-breakpoint
DROP TRIGGER `find_conversations_insert`;--> statement-breakpoint
DROP TRIGGER `find_conversations_update`;--> statement-breakpoint
DROP TRIGGER `find_documents_insert`;--> statement-breakpoint
DROP TRIGGER `find_documents_update`;--> statement-breakpoint
DROP TRIGGER `find_messages_insert`;--> statement-breakpoint
DROP TRIGGER `find_messages_update`;--> statement-breakpoint
DROP TRIGGER `find_answers_insert`;--> statement-breakpoint
DROP TRIGGER `find_answers_update`;--> statement-breakpoint
CREATE TRIGGER `find_conversations_insert` AFTER INSERT ON `conversations` BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`, `version`) VALUES ('conversation', new.`id`, new.`id`, 2);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = new.`id`), fold_text(new.`title`));
END;--> statement-breakpoint
CREATE TRIGGER `find_conversations_update` AFTER UPDATE OF `title` ON `conversations`
WHEN old.`title` IS NOT new.`title` BEGIN
	DELETE FROM `find_names` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = new.`id`);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'conversation' AND `source` = new.`id`), fold_text(new.`title`));
END;--> statement-breakpoint
CREATE TRIGGER `find_documents_insert` AFTER INSERT ON `documents` BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`, `version`) VALUES ('document', new.`id`, new.`id`, 2);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'document' AND `source` = new.`id`), fold_text(new.`name`));
END;--> statement-breakpoint
CREATE TRIGGER `find_documents_update` AFTER UPDATE OF `name` ON `documents`
WHEN old.`name` IS NOT new.`name` BEGIN
	DELETE FROM `find_names` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'document' AND `source` = new.`id`);
	INSERT INTO `find_names` (rowid, `name`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'document' AND `source` = new.`id`), fold_text(new.`name`));
END;--> statement-breakpoint
CREATE TRIGGER `find_messages_insert` AFTER INSERT ON `messages`
WHEN new.`role` = 'user' BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`, `version`) VALUES ('message', new.`id`, new.`conversation_id`, 2);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'message' AND `source` = new.`id`), (SELECT find_terms(substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000)) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
CREATE TRIGGER `find_messages_update` AFTER UPDATE OF `parts` ON `messages`
WHEN new.`role` = 'user' AND old.`parts` IS NOT new.`parts` BEGIN
	DELETE FROM `find_texts` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'message' AND `source` = new.`id`);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'message' AND `source` = new.`id`), (SELECT find_terms(substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000)) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
CREATE TRIGGER `find_answers_insert` AFTER INSERT ON `messages`
WHEN new.`role` = 'assistant' AND new.`status` <> 'streaming' BEGIN
	INSERT INTO `find_entries` (`kind`, `source`, `subject`, `version`) VALUES ('answer', new.`id`, new.`conversation_id`, 2);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'answer' AND `source` = new.`id`), (SELECT find_terms(substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000)) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
CREATE TRIGGER `find_answers_update` AFTER UPDATE OF `parts` ON `messages`
WHEN new.`role` = 'assistant' AND new.`status` <> 'streaming' BEGIN
	DELETE FROM `find_texts` WHERE rowid = (SELECT `id` FROM `find_entries` WHERE `kind` = 'answer' AND `source` = old.`id`);
	DELETE FROM `find_entries` WHERE `kind` = 'answer' AND `source` = old.`id`;
	INSERT INTO `find_entries` (`kind`, `source`, `subject`, `version`) VALUES ('answer', new.`id`, new.`conversation_id`, 2);
	INSERT INTO `find_texts` (rowid, `body`) VALUES ((SELECT `id` FROM `find_entries` WHERE `kind` = 'answer' AND `source` = new.`id`), (SELECT find_terms(substr(group_concat(json_extract(`value`, '$.text'), char(10)), 1, 20000)) FROM json_each(new.`parts`) WHERE json_extract(`value`, '$.type') = 'text'));
END;--> statement-breakpoint
DROP TABLE `audit_search`;--> statement-breakpoint
CREATE VIRTUAL TABLE `audit_search` USING fts5(`body`, content='', contentless_delete=1, tokenize='trigram', detail='none');
