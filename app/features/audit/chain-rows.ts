/**
 * For the thread and for programs without one, so that it is in no repo. Reads a part of the chain in its order, its texts as the bytes that are stored. It takes the position before the first
 * entry and the most entries.
 */
export const CHAIN_SQL = `
  SELECT seq, version, created_at AS createdAt, mac,
    cast(id AS blob) AS id, cast(org_id AS blob) AS orgId, cast(user_id AS blob) AS userId,
    cast(actor_kind AS blob) AS actorKind, cast(address AS blob) AS address, cast(action AS blob) AS action,
    cast(resource AS blob) AS resource, cast(details AS blob) AS details, cast("before" AS blob) AS "before",
    cast("after" AS blob) AS "after", cast(request_id AS blob) AS requestId
  FROM audit_entries WHERE seq > ? ORDER BY seq LIMIT ?`;

/** An entry as it is stored. */
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
