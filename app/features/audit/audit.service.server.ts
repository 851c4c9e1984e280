import { z } from "zod";
import { type Actor, atLeast } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyNumber, keyset } from "~/core/cursor";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { parseWellFormed, wellFormedValue } from "~/core/well-formed";
import type { AuditAction, AuditDetails } from "~/features/index.schema";
import { type AuditRow, insertEntry, listEntries, readLast } from "./audit.repo.server";
import type { AuditEntry, AuditQuery } from "./audit.schema";
import { GENESIS, macOf } from "./chain.server";
import { chainKey } from "./chain-key.server";

interface AuditSubject<A extends AuditAction> {
  /** Dotted name in the past tense, such as `persona.created`, with its sentence in the feature's facts. */
  action: A;
  /** Kind and id, such as `persona:per_0k3`. */
  resource: string;
}

/** An entry to append. Details are small, never a secret, a prompt or a document; those of the sentence are required. */
export type AuditEvent<A extends AuditAction = AuditAction> = AuditSubject<A> &
  (Record<string, never> extends AuditDetails<A>
    ? { details?: AuditDetails<A> & Readonly<Record<string, unknown>> }
    : { details: AuditDetails<A> & Readonly<Record<string, unknown>> });

/**
 * Appends an entry to the trail, inside the transaction of the change it tells of, so that neither can exist without
 * the other.
 */
export function append<A extends AuditAction>(
  tx: Db,
  actor: Pick<Actor, "userId" | "orgId" | "requestId" | "tokenId">,
  event: AuditEvent<A>,
): void {
  const last = readLast(tx);
  const details = { ...event.details, ...(actor.tokenId ? { tokenId: actor.tokenId } : {}) };
  // What is hashed must be what will be read back: through JSON once, and nothing that UTF-8 can't hold.
  const texts = wellFormedValue({
    id: newId("aud"),
    orgId: actor.orgId,
    userId: actor.userId,
    action: event.action,
    resource: event.resource,
    requestId: actor.requestId ?? null,
    createdAt: now(),
  });
  const kept = parseWellFormed(JSON.stringify(details)) as Record<string, unknown>;
  const mac = macOf(
    chainKey(),
    { ...texts, details: JSON.stringify(kept) },
    (last?.seq ?? 0) + 1,
    last?.mac ?? GENESIS,
  );
  insertEntry(tx, { ...texts, details: kept, mac });
}

const pages = keyset(z.object({ seq: KeyNumber }));

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
  const found = listEntries(db(), {
    orgId: actor.orgId,
    limit: query.limit + 1,
    ...(all ? {} : { userId: actor.userId }),
    before: pages.decode(query.cursor)?.seq,
  });
  const { rows, ...next } = pages.page(found, query.limit, ({ seq }) => ({ seq }));
  return { entries: rows.map(toEntry), ...next };
}
