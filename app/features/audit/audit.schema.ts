import { z } from "zod";
import { CursorParam } from "~/features/lists/cursor.schema";

/** What acted: a person in a browser, a program with an API token, a background job, a workflow or the console itself. */
export const AuditActorKind = z.enum(["user", "token", "workflow", "system", "job"]);
export type AuditActorKind = z.infer<typeof AuditActorKind>;

const Changed = z.record(z.string(), z.unknown()).nullable();

/** One line of the audit trail as the API and the screen read it. */
export const AuditEntry = z.object({
  id: z.string(),
  action: z.string().describe("Dotted name, such as persona.created"),
  resource: z.string().describe("Kind and id of what changed, such as persona:per_0k3"),
  details: z.record(z.string(), z.unknown()),
  before: Changed.describe("The changed fields before; secrets and personal texts are [redacted]"),
  after: Changed.describe("The changed fields after"),
  userId: z.string().describe("Who did it; `system` for the console itself"),
  actorKind: AuditActorKind.nullable().describe("What acted; null in entries of before 2026-11"),
  address: z.string().nullable().describe("The client's network address, where a request caused it"),
  orgId: z.string(),
  createdAt: z.iso.datetime(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: CursorParam,
});
export type AuditQuery = z.infer<typeof AuditQuery>;
