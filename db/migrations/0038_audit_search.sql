CREATE VIRTUAL TABLE `audit_search` USING fts5(`body`, content='', contentless_delete=1, tokenize='trigram', detail='none');
