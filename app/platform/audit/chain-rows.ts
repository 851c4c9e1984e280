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
