import { and, desc, eq, getTableColumns, gt, gte, inArray, lt, or, sql } from "drizzle-orm";
import { type Db, holdsText, prepared, preparedInsert } from "~/core/db.server";
import { auditEntries, organisations } from "~db/schema";

export type AuditRow = typeof auditEntries.$inferSelect;

/** Appends a row; its `seq` is SQLite's to count. */
export const insertEntry = preparedInsert(auditEntries);

const newest = prepared((db) =>
  db
    .select({ seq: auditEntries.seq, mac: auditEntries.mac })
    .from(auditEntries)
    .orderBy(desc(auditEntries.seq))
    .limit(1)
    .prepare(),
);

/** The newest row of the whole trail: the one chain covers every organisation of the file. */
export function readLast(tx: Db): Pick<AuditRow, "seq" | "mac"> | undefined {
  return newest(tx).get();
}

/** Authors of the entries after a position, each once. */
export const listAuthorsAfter = (tx: Db, seq: number): Pick<AuditRow, "orgId" | "userId">[] =>
  tx
    .selectDistinct({ orgId: auditEntries.orgId, userId: auditEntries.userId })
    .from(auditEntries)
    .where(gt(auditEntries.seq, seq))
    .all();

/** A searched word, with what it means beyond the entry's own columns. */
export interface SearchWord {
  text: string;
  /** Actions whose sentence contains it. */
  actions: readonly string[];
  /** People whose name contains it. */
  people: readonly string[];
}

export interface EntryFilter {
  orgId: string;
  userId?: string | undefined;
  /** A dotted action, or its first part. */
  action?: string | undefined;
  resource?: string | undefined;
  address?: string | undefined;
  /** In milliseconds: `from` is included, `to` isn't. */
  from?: number | undefined;
  to?: number | undefined;
  words?: readonly SearchWord[];
  /** The last entry of the page before. */
  after?: { createdAt: number; seq: number } | undefined;
  limit: number;
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

/** The index with the fewest entries to pass; without statistics SQLite takes the first that fits. */
function indexFor({ action, resource, userId }: EntryFilter): string {
  if (resource !== undefined) return "audit_entries_resource";
  if (userId !== undefined) return "audit_entries_user";
  return action === undefined ? "audit_entries_org" : "audit_entries_kind";
}

function whereWord({ text, actions, people }: SearchWord) {
  const { action, address, after, before, details, resource, userId } = auditEntries;
  const texts = [action, resource, details, address, before, after, userId];
  return or(
    ...texts.map((column) => holdsText(column, text)),
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

/** What a filter asks for, without its position. */
export function whereFilter(filter: EntryFilter) {
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
  const { after } = filter;
  return and(whereFilter(filter), after && sql`(${createdAt}, ${seq}) < (${after.createdAt}, ${after.seq})`);
}

function entries(tx: Db, filter: EntryFilter) {
  const order = sql`${desc(auditEntries.createdAt)}, ${desc(auditEntries.seq)}`;
  const index = sql.identifier(indexFor(filter));
  // Drizzle has no INDEXED BY of its own.
  const found = sql`(SELECT ${auditEntries.seq} FROM ${auditEntries} INDEXED BY ${index}
    WHERE ${whereOf(filter)} ORDER BY ${order} LIMIT ${filter.limit})`;
  return tx.select().from(auditEntries).where(inArray(auditEntries.seq, found)).orderBy(order);
}

/** Entries, newest first. */
export const listEntries = (tx: Db, filter: EntryFilter): AuditRow[] => entries(tx, filter).all();

/** As `listEntries`, for a reading thread or process, whose rows `entryOfColumns` reads. */
export const entriesQuery = (tx: Db, filter: EntryFilter) => entries(tx, filter).toSQL();

const columns = Object.entries(getTableColumns(auditEntries));

/** An entry from its columns in the table's order. */
export function entryOfColumns(values: readonly unknown[]): AuditRow {
  const read = columns.map(([name, column], at) => [
    name,
    values[at] === null ? null : column.mapFromDriverValue(values[at]),
  ]);
  return Object.fromEntries(read) as AuditRow;
}

export const findEntryById = (tx: Db, id: string): AuditRow | undefined =>
  tx.select().from(auditEntries).where(eq(auditEntries.id, id)).get();

export const findEntryAt = (tx: Db, seq: number): AuditRow | undefined =>
  tx.select().from(auditEntries).where(eq(auditEntries.seq, seq)).get();

/** The MAC of the entry at a position. */
export function readMac(tx: Db, seq: number): string | undefined {
  return tx.select({ mac: auditEntries.mac }).from(auditEntries).where(eq(auditEntries.seq, seq)).get()?.mac;
}

/** Whether nothing was ever recorded and no one set this console up. */
export function isUnused(tx: Db): boolean {
  if (readLast(tx) !== undefined) return false;
  if (tx.select({ id: organisations.id }).from(organisations).limit(1).get()) return false;
  return tx.get(sql`SELECT 1 FROM sqlite_sequence WHERE name = 'audit_entries' AND seq > 0`) === undefined;
}
