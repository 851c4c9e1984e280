UPDATE `org_settings` SET `value` = json_remove(`value`, '$.anchorEmail', '$.anchorWebhook') WHERE `key` = 'security' AND json_valid(`value`);--> statement-breakpoint
DELETE FROM `jobs` WHERE `kind` IN ('audit.anchor', 'audit.send-anchor');
