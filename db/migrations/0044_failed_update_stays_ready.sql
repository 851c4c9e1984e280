-- A failed new version leaves its document ready, with the error.
UPDATE `documents` SET `status` = 'ready' WHERE `status` = 'failed' AND `version_id` IS NOT NULL;
