import { z } from "zod";
import { CursorParam } from "~/features/lists/cursor.schema";

/** One line of the audit trail as the API and the screen read it. */
export const AuditEntry = z.object({
  id: z.string(),
  action: z.string().describe("Dotted name, such as persona.created"),
  resource: z.string().describe("Kind and id of what changed, such as persona:per_0k3"),
  details: z.record(z.string(), z.unknown()),
  userId: z.string().describe("Who did it; `system` for the console itself"),
  orgId: z.string(),
  createdAt: z.iso.datetime(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: CursorParam,
});
export type AuditQuery = z.infer<typeof AuditQuery>;
