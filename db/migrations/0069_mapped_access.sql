ALTER TABLE `identities` ADD `admission` text DEFAULT 'manual' NOT NULL;--> statement-breakpoint
ALTER TABLE `identities` ADD `mapped_role` text;--> statement-breakpoint
-- Written by hand: who joined by a rule of the operator follows it, with the role of then if it is still theirs.
UPDATE `identities` SET `admission` = 'rule', `mapped_role` = (
  SELECT `users`.`role` FROM `users` JOIN `audit_entries` ON `audit_entries`.`user_id` = `users`.`id`
  WHERE `users`.`id` = `identities`.`user_id` AND `users`.`role` <> 'viewer' AND `audit_entries`.`action` = 'member.joined'
    AND CASE WHEN json_valid(`audit_entries`.`details`) THEN json_extract(`audit_entries`.`details`, '$.role') END = `users`.`role`
  LIMIT 1
)
WHERE `user_id` IN (
  SELECT `user_id` FROM `audit_entries` WHERE `action` = 'member.joined'
    AND CASE WHEN json_valid(`details`) THEN json_extract(`details`, '$.role') END IS NOT NULL
);
