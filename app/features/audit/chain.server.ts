import { isUtf8 } from "node:buffer";
import { createHmac } from "node:crypto";
import { isFirstHalf } from "~/core/well-formed";
import type { ChainRow } from "./audit.repo.server";

/** What the first entry follows. */
export const GENESIS = "quarterdeck-audit-1";

/** The fields of an entry as texts, `details` as JSON. */
export interface EntryTexts {
  id: string;
  orgId: string;
  userId: string;
  action: string;
  resource: string;
  details: string;
  requestId: string | null;
  createdAt: number;
}

/** The MAC of an entry: over its stored texts, its position and the MAC before it. */
export function macOf(key: string, row: EntryTexts, seq: number, previous: string): string {
  const { id, orgId, userId, action, resource, details, requestId, createdAt } = row;
  const before = JSON.stringify([previous, seq, id, orgId, userId, action, resource]).slice(0, -1);
  const after = JSON.stringify([requestId, createdAt]).slice(1);
  return createHmac("sha256", key).update(`${before},${details},${after}`).digest("base64url");
}

/**
 * The text that stored bytes stand for. Until 2026-11 half a surrogate pair was stored as the three bytes that UTF-8
 * would give it if it could (WTF-8), and hashed as what it was: such an entry verifies when these are read back.
 *
 * @returns undefined for bytes that no text was stored as
 */
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
    const completesPair = at === from && !isFirstHalf(unit) && isFirstHalf(text.charCodeAt(text.length - 1));
    // A whole pair has four bytes of its own: two halves beside each other were never stored.
    if (!isUtf8(between) || completesPair) return undefined;
    text += between.toString("utf8") + String.fromCharCode(unit);
    from = at + 3;
  }
  const rest = bytes.subarray(from);
  return isUtf8(rest) ? text + rest.toString("utf8") : undefined;
}

/** The fields of a stored entry; undefined when it holds bytes that this console never wrote. */
export function textsOf(row: ChainRow): EntryTexts | undefined {
  const [id, orgId, userId, action, resource, details] = [
    row.id,
    row.orgId,
    row.userId,
    row.action,
    row.resource,
    row.details,
  ].map(decodeStored);
  const requestId = row.requestId === null ? null : decodeStored(row.requestId);
  if (id === undefined || orgId === undefined || userId === undefined || action === undefined)
    return undefined;
  if (resource === undefined || details === undefined || requestId === undefined) return undefined;
  return { id, orgId, userId, action, resource, details, requestId, createdAt: row.createdAt };
}
