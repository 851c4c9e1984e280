import { AuditActorKind, type AuditEntry } from "./audit.schema";

/** The fields of a stored entry that screens and the API show. */
export type StoredEntry = Omit<AuditEntry, "actorKind" | "createdAt"> & {
  actorKind: string | null;
  createdAt: number;
};

export const toEntry = (row: StoredEntry): AuditEntry => ({
  id: row.id,
  action: row.action,
  resource: row.resource,
  details: row.details,
  before: row.before,
  after: row.after,
  userId: row.userId,
  actorKind: AuditActorKind.nullable().catch(null).parse(row.actorKind),
  address: row.address,
  orgId: row.orgId,
  createdAt: new Date(row.createdAt).toISOString(),
});
