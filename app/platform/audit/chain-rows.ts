import { z } from "zod";
import { AuditActorKind, type AuditEntry } from "./audit.schema";

/** Reads a range of the chain as stored bytes. Parameters: the previous position and the limit. */
export const CHAIN_SQL = `
  SELECT seq, version, created_at AS createdAt, mac,
    cast(id AS blob) AS id, cast(org_id AS blob) AS orgId, cast(user_id AS blob) AS userId,
    cast(actor_kind AS blob) AS actorKind, cast(address AS blob) AS address, cast(action AS blob) AS action,
    cast(resource AS blob) AS resource, cast(details AS blob) AS details, cast("before" AS blob) AS "before",
    cast("after" AS blob) AS "after", cast(request_id AS blob) AS requestId
  FROM audit_entries WHERE seq > ? ORDER BY seq LIMIT ?`;

export interface ChainRow {
  seq: number;
  version: number;
  createdAt: number;
  mac: string;
  id: Buffer;
  orgId: Buffer;
  userId: Buffer;
  actorKind: Buffer | null;
  address: Buffer | null;
  action: Buffer;
  resource: Buffer;
  details: Buffer;
  before: Buffer | null;
  after: Buffer | null;
  requestId: Buffer | null;
}

export const ChainTask = z.object({
  database: z.string(),
  key: z.string(),
  from: z.object({ seq: z.int(), mac: z.string() }),
  headSeq: z.int(),
  limit: z.int(),
});
export type ChainTask = z.infer<typeof ChainTask>;

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
