import { z } from "zod";
import { CursorParam } from "~/platform/catalogue/fields.schema";
import { DATE_RANGES, type DateRange, EXPORT_FORMATS, MAX_DEPTH } from "./audit.shared";

export const AuditActorKind = z.enum(["user", "token", "workflow", "system", "job", "link"]);
export type AuditActorKind = z.infer<typeof AuditActorKind>;

const Changed = z.record(z.string(), z.unknown()).nullable();

export const AuditEntry = z.object({
  id: z.string(),
  action: z.string().describe("Dotted name, such as persona.created"),
  resource: z.string().describe("Kind and id of what changed, such as persona:per_0k3"),
  details: z.record(z.string(), z.unknown()),
  before: Changed.describe("The changed fields before; secrets and personal texts are [redacted]"),
  after: Changed.describe("The changed fields after"),
  userId: z
    .string()
    .describe("ID of the actor; `system` for the console itself, the recipient for a signed link"),
  actorKind: AuditActorKind.nullable().describe("Kind of actor; null in entries from before 2026-11"),
  address: z.string().nullable().describe("The client's network address; null without a request"),
  orgId: z.string(),
  createdAt: z.iso.datetime(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export type DescribedEntry = AuditEntry & { sentence: string };

export interface TrailCheck {
  entries: number;
  droppedUpTo: number;
  brokenAt: number | null;
  fault: string | null;
  broken: DescribedEntry | null;
}

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

export const AuditFilter = z.object({
  action: z
    .string()
    .max(100)
    .regex(/^[a-z_]+(\.[a-z_]+)?$/)
    .optional()
    .describe("A dotted name, such as persona.created, or its first part for all of a kind"),
  from: Moment.optional().describe("Entries from this time on; a date is midnight UTC"),
  to: Moment.optional().describe("Entries before this time"),
  search: z.string().trim().max(200).optional().describe("Words that an entry contains, in any order"),
  person: z.string().max(64).optional().describe("ID of the actor, or `system`"),
  resource: z.string().max(300).optional().describe("Exact resource, such as persona:per_0k3"),
  address: z.string().max(64).optional().describe("Exact network address"),
});
export type AuditFilter = z.infer<typeof AuditFilter>;

export const AuditQuery = AuditFilter.extend({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: CursorParam,
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditExportQuery = AuditFilter.extend({ format: z.enum(EXPORT_FORMATS).default("csv") });
export type AuditExportQuery = z.infer<typeof AuditExportQuery>;

export const AuditScreenQuery = z.object({
  search: AuditFilter.shape.search.catch(undefined),
  action: AuditFilter.shape.action.catch(undefined),
  range: z.enum(Object.keys(DATE_RANGES) as [DateRange, ...DateRange[]]).catch("7d"),
  person: AuditFilter.shape.person.catch(undefined),
  resource: AuditFilter.shape.resource.catch(undefined),
  address: AuditFilter.shape.address.catch(undefined),
  limit: AuditQuery.shape.limit.catch(100),
  depth: z.coerce.number().int().min(1).max(MAX_DEPTH).catch(1),
  cursor: CursorParam,
});
export type AuditScreenQuery = z.infer<typeof AuditScreenQuery>;

export const OpenEntry = z.object({
  dialog: z.literal("entry").optional().catch(undefined),
  id: z.string().max(64).optional().catch(undefined),
});

/** Fields whose values the audit trail doesn't keep: `schema.register(sensitive, { kind: "personal" })`, as the last call. */
export const sensitive = z.registry<{ kind: "secret" | "personal" }>();
