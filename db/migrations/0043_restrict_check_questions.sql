-- Questions of the retrieval check use only documents that everyone sees, and everyone reads them. Questions about
-- restricted or purged documents are deleted, and so are the checks that include them.
DELETE FROM `retrieval_runs` WHERE EXISTS (
	SELECT 1 FROM json_each(`retrieval_runs`.`results`) q
	WHERE json_array_length(coalesce(q.value -> 'documents', '[]')) = 0 OR EXISTS (
		SELECT 1 FROM json_each(q.value -> 'documents') d WHERE d.value NOT IN (
			SELECT `id` FROM `documents` WHERE `visibility` = 'organisation')));--> statement-breakpoint
DELETE FROM `retrieval_questions` WHERE `id` NOT IN (SELECT `question_id` FROM `retrieval_passages`)
	OR `id` IN (SELECT p.`question_id` FROM `retrieval_passages` p JOIN `documents` d ON d.`id` = p.`document_id`
		WHERE d.`visibility` = 'named');
