CREATE INDEX `audit_entries_kind` ON `audit_entries` (`org_id`,substr("action", 1, instr("action", '.') - 1),`created_at`);--> statement-breakpoint
CREATE INDEX `audit_entries_resource` ON `audit_entries` (`org_id`,`resource`,`created_at`);
