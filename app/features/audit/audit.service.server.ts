import { createHmac } from "node:crypto";
import { type Actor, atLeast } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId, sameSecret } from "~/core/ids.server";
import { type AuditRow, insertEntry, listEntries, readChain, readLast } from "./audit.repo.server";
import type { AuditEntry, AuditQuery } from "./audit.schema";
import { readHead } from "./audit-head.server";
import { chainKey } from "./chain-key.server";

/** What the first entry follows. */
const GENESIS = "quarterdeck-audit-1";
const CHECK_STEP = 1000;

function macOf(row: Omit<AuditRow, "mac" | "seq">, seq: number, previous: string): string {
  const fields = [
    previous,
    seq,
    row.id,
    row.orgId,
    row.userId,
    row.action,
    row.resource,
    row.details,
    row.requestId,
    row.createdAt,
  ];
  return createHmac("sha256", chainKey()).update(JSON.stringify(fields)).digest("base64url");
}

export interface AuditEvent {
  /** Dotted name in the past tense, such as `persona.created`. */
  action: string;
  /** Kind and id, such as `persona:per_0k3`. */
  resource: string;
  /** Small, and never a secret, a prompt or a document. */
  details?: Record<string, unknown>;
}

/**
 * Appends an entry to the trail, inside the transaction of the change it tells of, so that neither can exist without
 * the other.
 */
export function append(
  tx: Db,
  actor: Pick<Actor, "userId" | "orgId" | "requestId" | "tokenId">,
  event: AuditEvent,
): void {
  const last = readLast(tx);
  const details = { ...event.details, ...(actor.tokenId ? { tokenId: actor.tokenId } : {}) };
  const row = {
    id: newId("aud"),
    orgId: actor.orgId,
    userId: actor.userId,
    action: event.action,
    resource: event.resource,
    // Through JSON once, so that what is hashed is what will be read back.
    details: JSON.parse(JSON.stringify(details)) as Record<string, unknown>,
    requestId: actor.requestId ?? null,
    createdAt: now(),
  };
  insertEntry(tx, { ...row, mac: macOf(row, (last?.seq ?? 0) + 1, last?.mac ?? GENESIS) });
}

export interface ChainVerdict {
  entries: number;
  /** The position of the first entry that doesn't follow from the one before it, is missing, or isn't as noted. */
  brokenAt?: number;
}

/** Checks the chain from its first entry to its last, and that the last is no older than the head that was noted. */
export function verifyChain(): ChainVerdict {
  const head = readHead();
  let headMac: string | undefined;
  let previous = GENESIS;
  let seq = 0;
  for (;;) {
    const rows = readChain(db(), seq, CHECK_STEP);
    for (const row of rows) {
      if (row.seq !== seq + 1 || !sameSecret(row.mac, macOf(row, row.seq, previous))) {
        return { entries: seq, brokenAt: seq + 1 };
      }
      previous = row.mac;
      seq = row.seq;
      if (head !== "damaged" && head?.seq === seq) headMac = row.mac;
    }
    if (rows.length < CHECK_STEP) break;
  }
  if (head === undefined) return { entries: seq };
  // A damaged note can't tell where the trail ends: what follows the last entry is in doubt.
  if (head === "damaged" || head.seq > seq) return { entries: seq, brokenAt: seq + 1 };
  return { entries: seq, ...(headMac === head.mac ? {} : { brokenAt: head.seq }) };
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    action: row.action,
    resource: row.resource,
    details: row.details,
    userId: row.userId,
    orgId: row.orgId,
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

/** A page of entries, newest first; below admin, a person's own. `next` is the following page's cursor. */
export function listAudit(actor: Actor, query: AuditQuery): { entries: AuditEntry[]; next?: string } {
  if (actor.scopes && !actor.scopes.includes("audit.own") && !actor.scopes.includes("audit.all")) {
    throw new AppError("forbidden", 'This API token lacks the scope "audit.own".');
  }
  const all =
    atLeast(actor.role, "admin") && (actor.scopes === undefined || actor.scopes.includes("audit.all"));
  const before = query.cursor === undefined ? undefined : Number.parseInt(query.cursor, 36);
  if (before !== undefined && !(before > 0)) {
    throw new AppError("invalid", "The cursor is not one of this list.", {
      fields: { cursor: ["Unknown cursor"] },
    });
  }
  const rows = listEntries(db(), {
    orgId: actor.orgId,
    limit: query.limit + 1,
    ...(all ? {} : { userId: actor.userId }),
    ...(before ? { beforeSeq: before } : {}),
  });
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    entries: page.map(toEntry),
    ...(rows.length > page.length && last ? { next: last.seq.toString(36) } : {}),
  };
}
