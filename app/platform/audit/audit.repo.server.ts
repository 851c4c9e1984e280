import { createHmac } from "node:crypto";
import {
  and,
  asc,
  type Column,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { containsWords, type Db, db, prepared, preparedFind, preparedInsert } from "~/core/db.server";
import { sameSecret } from "~/core/ids.server";
import type { FindWord } from "~/core/language/find-words.shared";
import { parseWellFormed } from "~/core/well-formed";
import { auditCheckpoints, auditEntries, auditStarts, organisations } from "~db/schema";
import { type ChainPosition, chainKey, GENESIS } from "./chain.server";

export type AuditRow = typeof auditEntries.$inferSelect;

export const insertEntry = preparedInsert(auditEntries);

const newest = prepared((db) =>
  db
    .select({ seq: auditEntries.seq, mac: auditEntries.mac })
    .from(auditEntries)
    .orderBy(desc(auditEntries.seq))
    .limit(1)
    .prepare(),
);

export function readLastEntry(tx: Db): Pick<AuditRow, "seq" | "mac"> | undefined {
  return newest(tx).get();
}

/** `audit:verify` also reads databases that weren't upgraded since starts are counted. */
export function readStarts(tx: Db): number {
  const isCounted = tx.get(sql`SELECT 1 FROM sqlite_schema WHERE name = 'audit_starts'`) !== undefined;
  return isCounted ? (tx.select({ count: auditStarts.count }).from(auditStarts).get()?.count ?? 0) : 0;
}

export function countStart(tx: Db): void {
  tx.insert(auditStarts)
    .values({ id: 1, count: 1 })
    .onConflictDoUpdate({ target: auditStarts.id, set: { count: sql`${auditStarts.count} + 1` } })
    .run();
}

const authorsAfter = prepared((db) =>
  db
    .selectDistinct({ orgId: auditEntries.orgId, userId: auditEntries.userId })
    .from(auditEntries)
    .where(gt(auditEntries.seq, sql.placeholder("seq")))
    .prepare(),
);

export const listAuthorsAfter = (tx: Db, seq: number): Pick<AuditRow, "orgId" | "userId">[] =>
  authorsAfter(tx).all({ seq });

export interface SearchWord {
  word: FindWord;
  actions: readonly string[];
  people: readonly string[];
}

export interface EntryFilter {
  orgId: string;
  userId?: string | undefined;
  action?: string | undefined;
  resource?: string | undefined;
  address?: string | undefined;
  /** In milliseconds: `from` is included, `to` isn't. */
  from?: number | undefined;
  to?: number | undefined;
  words?: readonly SearchWord[];
  after?: EntryKey | undefined;
  until?: EntryKey | undefined;
  limit: number;
}

export interface EntryKey {
  createdAt: number;
  seq: number;
}

const kindOfAction = sql`substr(${auditEntries.action}, 1, instr(${auditEntries.action}, '.') - 1)`;

function whereAction(action: string | undefined) {
  if (action === undefined) return undefined;
  const [kind, verb] = action.split(".");
  return and(
    sql`${kindOfAction} = ${kind}`,
    verb === undefined ? undefined : eq(auditEntries.action, action),
  );
}

/** The most selective index; without statistics SQLite takes the first match. */
function indexFor({ action, resource, userId }: EntryFilter): string {
  if (resource !== undefined) return "audit_entries_resource";
  if (userId !== undefined) return "audit_entries_user";
  return action === undefined ? "audit_entries_org" : "audit_entries_kind";
}

const { action, address, after, before, details, resource, userId } = auditEntries;
/** What a search looks into. */
const searched = [action, resource, details, address, before, after, userId];

function whereWord({ word, actions, people }: SearchWord) {
  return or(
    containsWords([word], ...searched),
    actions.length > 0 ? inArray(action, [...actions]) : undefined,
    people.length > 0 ? inArray(userId, [...people]) : undefined,
    people.length > 0
      ? inArray(
          resource,
          people.map((id) => `user:${id}`),
        )
      : undefined,
  );
}

function whereFilter(filter: EntryFilter) {
  const { createdAt, orgId, userId } = auditEntries;
  const { from, to } = filter;
  return and(
    eq(orgId, filter.orgId),
    filter.userId === undefined ? undefined : eq(userId, filter.userId),
    whereAction(filter.action),
    filter.resource === undefined ? undefined : eq(auditEntries.resource, filter.resource),
    filter.address === undefined ? undefined : eq(auditEntries.address, filter.address),
    from === undefined ? undefined : gte(createdAt, from),
    to === undefined ? undefined : lt(createdAt, to),
    ...(filter.words ?? []).map(whereWord),
  );
}

function whereOf(filter: EntryFilter) {
  const { createdAt, seq } = auditEntries;
  const { after, until } = filter;
  return and(
    whereFilter(filter),
    after && sql`(${createdAt}, ${seq}) < (${after.createdAt}, ${after.seq})`,
    until && sql`(${createdAt}, ${seq}) >= (${until.createdAt}, ${until.seq})`,
  );
}

const order = sql`${desc(auditEntries.createdAt)}, ${desc(auditEntries.seq)}`;

const keyQuery = (tx: Db, position: SQL) =>
  tx
    .select({ createdAt: auditEntries.createdAt, seq: auditEntries.seq })
    .from(auditEntries)
    .where(eq(auditEntries.seq, position))
    .toSQL();

export function entryAheadQuery(tx: Db, { words: _, ...filter }: EntryFilter, count: number) {
  const index = sql.identifier(indexFor(filter));
  const ahead = sql`(SELECT ${auditEntries.seq} FROM ${auditEntries} INDEXED BY ${index}
    WHERE ${whereOf(filter)} ORDER BY ${order} LIMIT 1 OFFSET ${count - 1})`;
  return keyQuery(tx, ahead);
}

function entries(tx: Db, filter: EntryFilter) {
  const index = sql.identifier(indexFor(filter));
  // Drizzle doesn't support INDEXED BY.
  const matches = sql`(SELECT ${auditEntries.seq} FROM ${auditEntries} INDEXED BY ${index}
    WHERE ${whereOf(filter)} ORDER BY ${order} LIMIT ${filter.limit})`;
  return tx.select().from(auditEntries).where(inArray(auditEntries.seq, matches)).orderBy(order);
}

export const listEntries = (tx: Db, filter: EntryFilter): AuditRow[] => entries(tx, filter).all();

export const entriesQuery = (tx: Db, filter: EntryFilter) => entries(tx, filter).toSQL();

const columns = Object.entries(getTableColumns(auditEntries));

/** Entries of before 2026-11 may hold escaped halves of surrogate pairs. */
const readColumn = (column: Column, value: unknown) =>
  column.dataType === "json" ? parseWellFormed(value as string) : column.mapFromDriverValue(value);

/** An entry from its columns in the table's order. */
export function entryOfColumns(values: readonly unknown[]): AuditRow {
  const read = columns.map(([name, column], at) => {
    const value = values[at];
    return [name, value === null ? null : readColumn(column, value)];
  });
  return Object.fromEntries(read) as AuditRow;
}

export const findEntryById = preparedFind(auditEntries, "id");
export const findEntryAt = preparedFind(auditEntries, "seq");

const macAt = prepared((db) =>
  db
    .select({ mac: auditEntries.mac })
    .from(auditEntries)
    .where(eq(auditEntries.seq, sql.placeholder("seq")))
    .prepare(),
);

/** Reads nothing else of the entry, whose texts may be damaged. */
export const readMac = (tx: Db, seq: number): string | undefined => macAt(tx).get({ seq })?.mac;

/** Whether the trail is empty and setup isn't complete. */
export function isUnused(tx: Db): boolean {
  if (readLastEntry(tx) !== undefined) return false;
  if (tx.select({ id: organisations.id }).from(organisations).limit(1).get()) return false;
  return tx.get(sql`SELECT 1 FROM sqlite_sequence WHERE name = 'audit_entries' AND seq > 0`) === undefined;
}

// `audit_search` is a trigram index without positions (109 bytes an entry). It yields candidates, which the
// filter verifies. Entries not indexed yet are scanned.

export function readIndexed(tx: Db): number {
  const row = tx.get<{ rowid: number } | undefined>(
    sql`SELECT rowid FROM audit_search ORDER BY rowid DESC LIMIT 1`,
  );
  return row?.rowid ?? 0;
}

/** Positions within a time range. Times aren't always ascending, so all are read. */
function spanOf({ orgId: org, from, to }: EntryFilter): SQL[] {
  const within = (which: SQL, time: SQL) =>
    sql`(SELECT ${which} FROM ${auditEntries} INDEXED BY audit_entries_org WHERE ${auditEntries.orgId} = ${org} AND ${time})`;
  return [
    ...(from === undefined
      ? []
      : [
          sql`audit_search.rowid >= ${within(sql`min(${auditEntries.seq})`, sql`${auditEntries.createdAt} >= ${from}`)}`,
        ]),
    ...(to === undefined
      ? []
      : [
          sql`audit_search.rowid <= ${within(sql`max(${auditEntries.seq})`, sql`${auditEntries.createdAt} < ${to}`)}`,
        ]),
  ];
}

/** FTS5 ignores a rowid limit that isn't an integer; better-sqlite3 binds every number as a real. */
const integer = (value: number) => sql`cast(${value} as integer)`;

const lastCandidate = ({ after }: EntryFilter, indexed: number) =>
  sql`audit_search.rowid <= ${integer(Math.min(indexed, (after?.seq ?? Number.POSITIVE_INFINITY) - 1))}`;

export function candidateAheadQuery(
  tx: Db,
  filter: EntryFilter,
  { candidates, indexed, count }: { candidates: string; indexed: number; count: number },
) {
  const ahead = sql`(SELECT audit_search.rowid FROM audit_search WHERE ${and(
    sql`audit_search MATCH ${candidates}`,
    lastCandidate(filter, indexed),
    ...spanOf(filter),
  )} ORDER BY audit_search.rowid DESC LIMIT 1 OFFSET ${count - 1})`;
  return keyQuery(tx, ahead);
}

export function searchQueries(tx: Db, filter: EntryFilter, candidates: string, indexed: number) {
  const { after, limit, until } = filter;
  const rest = sql`(SELECT ${auditEntries.seq} FROM ${auditEntries} NOT INDEXED WHERE ${and(
    gt(auditEntries.seq, indexed),
    after && lt(auditEntries.seq, after.seq),
    whereFilter(filter),
  )} ORDER BY ${desc(auditEntries.seq)} LIMIT ${limit})`;
  const matches = sql`(SELECT ${auditEntries.seq} FROM audit_search CROSS JOIN ${auditEntries} ON ${auditEntries.seq} = audit_search.rowid WHERE ${and(
    sql`audit_search MATCH ${candidates}`,
    lastCandidate(filter, indexed),
    until && sql`audit_search.rowid >= ${integer(until.seq)}`,
    ...spanOf(filter),
    whereFilter(filter),
  )} ORDER BY audit_search.rowid DESC LIMIT ${limit})`;
  return [rest, matches].map((positions) =>
    tx
      .select()
      .from(auditEntries)
      .where(inArray(auditEntries.seq, positions))
      .orderBy(desc(auditEntries.seq))
      .toSQL(),
  );
}

/** Adds the first entries after those in the index, at most `limit`. @returns how many */
export function indexNext(tx: Db, limit: number): number {
  // No search term contains the line break.
  const body = sql`fold_text(concat_ws(char(10), ${sql.join(searched, sql`, `)}))`;
  const next = tx
    .select({ seq: auditEntries.seq, body })
    .from(auditEntries)
    .where(gt(auditEntries.seq, readIndexed(tx)))
    .orderBy(asc(auditEntries.seq))
    .limit(limit);
  return tx.run(sql`INSERT INTO audit_search (rowid, body) SELECT * FROM ${next}`).changes;
}

export function removeFromSearchIndex(tx: Db, positions: readonly number[]): void {
  for (const position of positions) tx.run(sql`DELETE FROM audit_search WHERE rowid = ${position}`);
}

export function findLastBefore(tx: Db, orgId: string, time: number): number | undefined {
  return tx
    .select({ seq: auditEntries.seq })
    .from(auditEntries)
    .where(and(eq(auditEntries.orgId, orgId), lt(auditEntries.createdAt, time)))
    .orderBy(desc(auditEntries.createdAt), desc(auditEntries.seq))
    .limit(1)
    .get()?.seq;
}

export const listOldestSeqs = (tx: Db, upToSeq: number, limit: number): number[] =>
  tx
    .select({ seq: auditEntries.seq })
    .from(auditEntries)
    .where(lte(auditEntries.seq, upToSeq))
    .orderBy(asc(auditEntries.seq))
    .limit(limit)
    .all()
    .map(({ seq }) => seq);

export function deleteEntries(tx: Db, positions: readonly number[]): void {
  tx.delete(auditEntries)
    .where(inArray(auditEntries.seq, [...positions]))
    .run();
}

export function sealedEntriesQuery(afterSeq: number, upToSeq: number, limit: number) {
  return db()
    .select()
    .from(auditEntries)
    .where(and(gt(auditEntries.seq, afterSeq), lte(auditEntries.seq, upToSeq)))
    .orderBy(asc(auditEntries.seq))
    .limit(limit)
    .toSQL();
}

export type CheckpointRow = typeof auditCheckpoints.$inferSelect;

export function insertCheckpoint(tx: Db, row: CheckpointRow): void {
  tx.insert(auditCheckpoints).values(row).run();
}

export const findCheckpoint = preparedFind(auditCheckpoints, "upToSeq");

export function findNewestCheckpoint(tx: Db, { dropped }: { dropped: boolean }): CheckpointRow | undefined {
  return tx
    .select()
    .from(auditCheckpoints)
    .where(dropped ? isNotNull(auditCheckpoints.droppedAt) : undefined)
    .orderBy(desc(auditCheckpoints.upToSeq))
    .limit(1)
    .get();
}

export const listCheckpointRows = (tx: Db, limit: number): CheckpointRow[] =>
  tx.select().from(auditCheckpoints).orderBy(desc(auditCheckpoints.upToSeq)).limit(limit).all();

export function markDropped(tx: Db, row: Pick<CheckpointRow, "upToSeq" | "droppedAt" | "signature">): void {
  const { upToSeq, ...change } = row;
  tx.update(auditCheckpoints).set(change).where(eq(auditCheckpoints.upToSeq, upToSeq)).run();
}

export function signCheckpoint(row: Omit<CheckpointRow, "signature">): string {
  const { upToSeq, mac, count, createdAt, droppedAt } = row;
  return createHmac("sha256", chainKey())
    .update(JSON.stringify(["quarterdeck-audit-checkpoint-1", upToSeq, mac, count, createdAt, droppedAt]))
    .digest("base64url");
}

export function isSigned(row: CheckpointRow): boolean {
  return sameSecret(row.signature, signCheckpoint(row));
}

/** The chain's start: the first entry, or the one after the last dropped range. */
export function readChainStart(tx: Db): ChainPosition | "damaged" {
  const dropped = findNewestCheckpoint(tx, { dropped: true });
  if (!dropped) return { seq: 0, mac: GENESIS };
  return isSigned(dropped) ? { seq: dropped.upToSeq, mac: dropped.mac } : "damaged";
}
