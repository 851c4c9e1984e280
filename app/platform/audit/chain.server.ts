import { isUtf8 } from "node:buffer";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { sameSecret } from "~/core/ids.server";
import { hasSecret, secret } from "~/core/secrets.server";
import { isHighSurrogate } from "~/core/well-formed";
import { AuditActorKind, type AuditEntry } from "./audit.schema";

export const GENESIS = "quarterdeck-audit-1";

export const CHAIN_VERSION = 2;

export interface EntryTexts {
  version: number;
  id: string;
  orgId: string;
  userId: string;
  actorKind: string | null;
  address: string | null;
  action: string;
  resource: string;
  details: string;
  before: string | null;
  after: string | null;
  requestId: string | null;
  createdAt: number;
}

/** Version 1, until 2026-11: without the later columns. */
function serializeV1(row: EntryTexts, seq: number, previous: string): string {
  const { id, orgId, userId, action, resource, details, requestId, createdAt } = row;
  const first = JSON.stringify([previous, seq, id, orgId, userId, action, resource]).slice(0, -1);
  const last = JSON.stringify([requestId, createdAt]).slice(1);
  return `${first},${details},${last}`;
}

/** Starts with a number, so that the two serializations can't collide. */
function serializeV2(row: EntryTexts, seq: number, previous: string): string {
  const { id, orgId, userId, actorKind, address, action, resource, requestId, createdAt } = row;
  const first = JSON.stringify([2, previous, seq, id, orgId, userId, actorKind, address, action, resource]);
  const changes = [row.details, row.before ?? "null", row.after ?? "null"].join();
  return `${first.slice(0, -1)},${changes},${JSON.stringify([requestId, createdAt]).slice(1)}`;
}

/** MAC of an entry: stored texts, position and the previous MAC. */
export function macOf(key: string, row: EntryTexts, seq: number, previous: string): string {
  const serialized = row.version === 1 ? serializeV1(row, seq, previous) : serializeV2(row, seq, previous);
  return createHmac("sha256", key).update(serialized).digest("base64url");
}

/** Decodes stored bytes, lone surrogates of before 2026-11 as WTF-8. @returns undefined for invalid bytes */
function decodeStored(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let text = "";
  let from = 0;
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 1)) {
    const second = bytes[at + 1] ?? 0;
    const third = bytes[at + 2] ?? 0;
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    const between = bytes.subarray(from, at);
    const unit = 0xd000 | ((second & 0x3f) << 6) | (third & 0x3f);
    const completesPair =
      at === from && !isHighSurrogate(unit) && isHighSurrogate(text.charCodeAt(text.length - 1));
    // Surrogate pairs have a four-byte encoding; two adjacent halves were never stored.
    if (!isUtf8(between) || completesPair) return undefined;
    text += between.toString("utf8") + String.fromCharCode(unit);
    from = at + 3;
  }
  const rest = bytes.subarray(from);
  return isUtf8(rest) ? text + rest.toString("utf8") : undefined;
}

const TEXTS = ["id", "orgId", "userId", "action", "resource", "details"] as const;
const OPTIONAL = ["actorKind", "address", "before", "after", "requestId"] as const;
const LATER = ["actorKind", "address", "before", "after"] as const;

/** undefined for values that the console never writes. */
function textsOf(row: ChainRow): EntryTexts | undefined {
  if (row.version !== CHAIN_VERSION && (row.version !== 1 || LATER.some((name) => row[name] !== null)))
    return undefined;
  const texts: Partial<Record<string, string | null>> = {};
  for (const name of [...TEXTS, ...OPTIONAL]) {
    const bytes = row[name];
    const text = bytes === null ? null : decodeStored(bytes);
    if (text === undefined) return undefined;
    texts[name] = text;
  }
  return { version: row.version, createdAt: row.createdAt, ...texts } as EntryTexts;
}

export interface ChainPosition {
  seq: number;
  mac: string;
}

export interface RangeVerdict extends ChainPosition {
  ended: boolean;
  lastTime?: number | undefined;
  brokenAt?: number | undefined;
  brokenTime?: number | undefined;
  headMac?: string | undefined;
}

const STEP = 1000;

/** Verifies a range of the chain. @param headSeq position of the recorded head @param limit number of entries */
export function checkRange(
  read: (afterSeq: number, limit: number) => ChainRow[],
  key: string,
  from: ChainPosition,
  headSeq: number,
  limit: number,
): RangeVerdict {
  let { seq, mac } = from;
  let headMac = headSeq === seq ? mac : undefined;
  let lastTime: number | undefined;
  while (seq < from.seq + limit) {
    const rows = read(seq, STEP);
    for (const row of rows) {
      const texts = textsOf(row);
      const follows = texts && row.seq === seq + 1 && sameSecret(row.mac, macOf(key, texts, row.seq, mac));
      if (!follows)
        return { seq, mac, lastTime, headMac, ended: true, brokenAt: seq + 1, brokenTime: row.createdAt };
      ({ seq, mac } = row);
      lastTime = row.createdAt;
      if (headSeq === seq) headMac = mac;
    }
    if (rows.length < STEP) return { seq, mac, lastTime, headMac, ended: true };
  }
  return { seq, mac, lastTime, headMac, ended: false };
}

/** Stored outside the database, so that database write access can't forge the trail. */
export const chainKey = () => secret("audit.key");

export const hasChainKey = () => hasSecret("audit.key");

/** Reads a range of the chain as stored bytes. Parameters: the previous position and the limit. */
export const CHAIN_SQL = `
  SELECT seq, version, created_at AS createdAt, mac,
    cast(id AS blob) AS id, cast(org_id AS blob) AS orgId, cast(user_id AS blob) AS userId,
    cast(actor_kind AS blob) AS actorKind, cast(address AS blob) AS address, cast(action AS blob) AS action,
    cast(resource AS blob) AS resource, cast(details AS blob) AS details, cast("before" AS blob) AS "before",
    cast("after" AS blob) AS "after", cast(request_id AS blob) AS requestId
  FROM audit_entries WHERE seq > ? ORDER BY seq LIMIT ?`;

type Stored<T> = T extends string ? Buffer : T extends null ? null : T;

/** An entry as `CHAIN_SQL` reads it. */
export type ChainRow = { seq: number; mac: string } & {
  [Name in keyof EntryTexts]: Stored<EntryTexts[Name]>;
};

export const ChainTask = z.object({
  database: z.string(),
  key: z.string(),
  from: z.object({ seq: z.int(), mac: z.string() }),
  headSeq: z.int(),
  limit: z.int(),
});
export type ChainTask = z.infer<typeof ChainTask>;

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
