import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyNumber, keyset } from "~/core/cursor";
import { type Db, db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { kept } from "~/core/process.server";
import { parseWellFormed, wellFormedValue } from "~/core/well-formed";
import type { AuditAction, AuditDetails } from "~/platform/catalogue/audit-actions";
import { atLeast } from "~/platform/rights/authorization.server";
import {
  type AuditRow,
  type EntryKey,
  findEntryById,
  insertEntry,
  listEntries,
  readLastEntry,
} from "./audit.repo.server";
import { type AuditActorKind, type AuditEntry, type AuditQuery, sensitive } from "./audit.schema";
import { CHAIN_VERSION, chainKey, GENESIS, macOf, toEntry } from "./chain.server";

/** Longest network address kept, in characters. */
const MAX_ADDRESS_LENGTH = 64;

export type AuditActor = Pick<Actor, "userId" | "orgId" | "requestId" | "tokenId"> &
  Partial<Pick<Actor, "address" | "jobId">> & {
    kind?: Actor["kind"] | "link";
  };

interface AuditSubject<A extends AuditAction> {
  /** Dotted name in the past tense, such as `persona.created`, with its sentence in the feature's facts. */
  action: A;
  resource: string;
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
}

/** An entry to append. Details are small and never contain secrets, prompts or documents. */
export type AuditEvent<A extends AuditAction = AuditAction> = AuditSubject<A> &
  (Record<string, never> extends AuditDetails<A>
    ? { details?: AuditDetails<A> & Readonly<Record<string, unknown>> }
    : { details: AuditDetails<A> & Readonly<Record<string, unknown>> });

function kindOf({ jobId, kind, tokenId, userId }: AuditActor): AuditActorKind {
  if (jobId) return "job";
  return kind ?? (tokenId ? "token" : userId === "system" ? "system" : "user");
}

type Values = Readonly<Record<string, unknown>>;

/** Normalizes values so that the hash matches what is read back. */
const storable = (values: Values) => parseWellFormed(JSON.stringify(values)) as Record<string, unknown>;
const storableOrNull = (values: Values | undefined) => (values === undefined ? null : storable(values));
const toText = (values: Values | null) => (values === null ? null : JSON.stringify(values));

const trail = () => kept("audit switch", (): { isOn: (orgId: string) => boolean } => ({ isOn: () => true }));

/** At the start: whether an organization's entries are kept, by its settings. The entry of the switch always is. */
export function switchTrailBy(isOn: (orgId: string) => boolean): void {
  trail().isOn = isOn;
}

function isKept(orgId: string, { action, after }: { action: string; after?: Values }): boolean {
  if (action === "settings.updated" && after?.enableAuditLogs !== undefined) return true;
  return trail().isOn(orgId);
}

/** Appends an entry within the transaction of the change it records. */
export function append<A extends AuditAction>(tx: Db, actor: AuditActor, event: AuditEvent<A>): void {
  if (!isKept(actor.orgId, event)) return;
  const last = readLastEntry(tx);
  const texts = wellFormedValue({
    version: CHAIN_VERSION,
    id: newId("aud"),
    orgId: actor.orgId,
    userId: actor.userId,
    actorKind: kindOf(actor),
    address: actor.address?.slice(0, MAX_ADDRESS_LENGTH) ?? null,
    action: event.action,
    resource: event.resource,
    requestId: actor.requestId ?? null,
    createdAt: now(),
  });
  const { jobId, tokenId } = actor;
  const details = storable({
    ...event.details,
    ...(tokenId ? { tokenId } : {}),
    ...(jobId ? { jobId } : {}),
  });
  const before = storableOrNull(event.before);
  const after = storableOrNull(event.after);
  const mac = macOf(
    chainKey(),
    { ...texts, details: JSON.stringify(details), before: toText(before), after: toText(after) },
    (last?.seq ?? 0) + 1,
    last?.mac ?? GENESIS,
  );
  insertEntry(tx, { ...texts, details, before, after, mac });
}

export interface AuditPage {
  entries: AuditEntry[];
  next?: string;
  reached?: string;
}

const pages = keyset(z.object({ createdAt: KeyNumber, seq: KeyNumber }));
export const readCursor = pages.decode;
export const keyOf = ({ createdAt, seq }: AuditRow) => ({ createdAt, seq });

/** Builds a page from `limit + 1` rows. @param reached the last scanned entry if the search stopped early */
export function pageOf(results: readonly AuditRow[], limit: number, reached?: EntryKey): AuditPage {
  const { rows, ...next } = pages.page(results, limit, keyOf);
  const entries = rows.map(toEntry);
  if (!reached) return { entries, ...next };
  return { entries, next: pages.encode(reached), reached: new Date(reached.createdAt).toISOString() };
}

/** Whether an actor can read all entries. @throws AppError `forbidden` for a token without the scope */
export function readsAll(actor: Actor): boolean {
  if (actor.scopes && !actor.scopes.includes("audit.own") && !actor.scopes.includes("audit.all")) {
    throw new AppError("forbidden", 'This API token lacks the scope "audit.own".');
  }
  return atLeast(actor.role, "admin") && (actor.scopes === undefined || actor.scopes.includes("audit.all"));
}

export function findEntry(actor: Actor, id: string): AuditEntry | undefined {
  const row = findEntryById(db(), id);
  if (!row || row.orgId !== actor.orgId) return undefined;
  return readsAll(actor) || row.userId === actor.userId ? toEntry(row) : undefined;
}

export function listAudit(actor: Actor, query: Pick<AuditQuery, "limit" | "cursor">): AuditPage {
  const results = listEntries(db(), {
    orgId: actor.orgId,
    userId: readsAll(actor) ? undefined : actor.userId,
    limit: query.limit + 1,
    after: readCursor(query.cursor),
  });
  return pageOf(results, query.limit);
}

export interface Changes {
  before: Values;
  after: Values;
}

const REDACTED = "[redacted]";
/** Maximum length of a stored text, in characters; longer texts are replaced by their length. */
const MAX_LENGTH = 500;

function isSensitive(schema: z.core.$ZodType | undefined): boolean {
  if (!schema) return false;
  if (sensitive.has(schema)) return true;
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return isSensitive(innerType);
}

function redact(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (value === undefined || value === null || value === "") return value ?? null;
  if (isSensitive(schema)) return REDACTED;
  if (schema instanceof z.ZodObject && typeof value === "object") {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(shape[name], item)]));
  }
  return typeof value === "string" && value.length > MAX_LENGTH ? { characters: value.length } : value;
}

/**
 * The changed fields, with `sensitive` fields redacted and long texts replaced by their length.
 * @param before the object before the change
 * @param after the changed fields
 */
export function changesOf(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  before: object,
  after: object,
): Changes {
  const old = before as Values;
  const names = Object.entries(after).flatMap(([name, value]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(old[name]) ? [name] : [],
  );
  const pick = (values: Values) =>
    Object.fromEntries(names.map((name) => [name, redact(shape[name], values[name])]));
  return { before: pick(old), after: pick(after as Values) };
}
