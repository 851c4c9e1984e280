import { and, asc, desc, eq, getTableColumns, gt, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
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
interface SearchWord {
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
  after?: EntryKey | undefined;
  /** The last entry that is looked at. */
  until?: EntryKey | undefined;
  limit: number;
}

/** An entry's place in the order of a list. */
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

/** Query of the entry that is `count` entries on, whatever words are searched: its time and position. */
export function entryAheadQuery(tx: Db, { words: _, ...filter }: EntryFilter, count: number) {
  const index = sql.identifier(indexFor(filter));
  const ahead = sql`(SELECT ${auditEntries.seq} FROM ${auditEntries} INDEXED BY ${index}
    WHERE ${whereOf(filter)} ORDER BY ${order} LIMIT 1 OFFSET ${count - 1})`;
  return keyQuery(tx, ahead);
}

function entries(tx: Db, filter: EntryFilter) {
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

// `audit_search` holds the trigrams of an entry's texts under its position, without their places (109 bytes an entry):
// it names candidates, which the filter then checks. It is filled behind the commits; entries after it are scanned.

/** Trigrams of one text that are looked up. */
const MOST_TRIGRAMS = 40;
/** Alternatives of a word, such as actions and people, beyond which it narrows too little to be worth its lookups. */
const MOST_ALTERNATIVES = 12;

/** As a string of FTS5, of which nothing is syntax. */
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** The candidates that may contain a text; undefined for one too short for a trigram. */
function containing(text: string): string | undefined {
  const characters = [...text];
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  // Of other letters SQLite's folding and forms aren't those of `holdsText`.
  const found = new Set(trigrams.filter((trigram) => /^\p{ASCII}*$/u.test(trigram)));
  if (found.size === 0) return undefined;
  return `(${[...found].slice(0, MOST_TRIGRAMS).map(quoted).join(" AND ")})`;
}

function matchingWord({ text, actions, people }: SearchWord): string | undefined {
  // What contains the word is found by the word itself.
  const lower = text.toLowerCase();
  const others = [...actions, ...people].filter((name) => !name.toLowerCase().includes(lower));
  const alternatives = [text, ...others].map(containing);
  if (alternatives.length > MOST_ALTERNATIVES || alternatives.includes(undefined)) return undefined;
  return `(${alternatives.join(" OR ")})`;
}

/** What a filter asks of the index; undefined where the index can't narrow it. */
export function candidatesOf({ words = [], address, userId, resource }: EntryFilter): string | undefined {
  const exact = [address, userId, resource].map((text) =>
    text === undefined ? undefined : containing(text),
  );
  const found = [...words.map(matchingWord), ...exact].filter((part) => part !== undefined);
  return found.length > 0 ? found.join(" AND ") : undefined;
}

/** The position up to which entries are in the index. */
export function readIndexed(tx: Db): number {
  const row = tx.get<{ rowid: number } | undefined>(
    sql`SELECT rowid FROM audit_search ORDER BY rowid DESC LIMIT 1`,
  );
  return row?.rowid ?? 0;
}

/** The positions that a range of time spans: times needn't ascend with them, so every one of the range is read. */
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

const lastCandidate = ({ after }: EntryFilter, indexed: number) =>
  sql`audit_search.rowid <= ${Math.min(indexed, (after?.seq ?? Number.POSITIVE_INFINITY) - 1)}`;

/** As `entryAheadQuery`, of the candidates that the index names. */
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

/**
 * Queries of a search, newest position first, for a reading process: of the entries after `indexed`, then of the index.
 * `entryOfColumns` reads their rows.
 */
export function searchQueries(tx: Db, filter: EntryFilter, candidates: string, indexed: number) {
  const { after, limit, until } = filter;
  const rest = sql`(SELECT ${auditEntries.seq} FROM ${auditEntries} NOT INDEXED WHERE ${and(
    gt(auditEntries.seq, indexed),
    after && lt(auditEntries.seq, after.seq),
    whereFilter(filter),
  )} ORDER BY ${desc(auditEntries.seq)} LIMIT ${limit})`;
  const found = sql`(SELECT ${auditEntries.seq} FROM audit_search CROSS JOIN ${auditEntries} ON ${auditEntries.seq} = audit_search.rowid WHERE ${and(
    sql`audit_search MATCH ${candidates}`,
    lastCandidate(filter, indexed),
    until && sql`audit_search.rowid >= ${until.seq}`,
    ...spanOf(filter),
    whereFilter(filter),
  )} ORDER BY audit_search.rowid DESC LIMIT ${limit})`;
  return [rest, found].map((positions) =>
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
  const { action, address, after, before, details, resource, userId } = auditEntries;
  const texts = [action, resource, details, address, before, after, userId];
  // No searched word contains the line break that parts them.
  const body = sql.join(
    texts.map((column) => sql`coalesce(${column}, '')`),
    sql` || char(10) || `,
  );
  const next = tx
    .select({ seq: auditEntries.seq, body })
    .from(auditEntries)
    .where(gt(auditEntries.seq, readIndexed(tx)))
    .orderBy(asc(auditEntries.seq))
    .limit(limit);
  return tx.run(sql`INSERT INTO audit_search (rowid, body) SELECT * FROM ${next}`).changes;
}

/** Removes entries from the index: by their positions, since a range of them reads the whole index. */
export function forgetIndexed(tx: Db, positions: readonly number[]): void {
  for (const position of positions) tx.run(sql`DELETE FROM audit_search WHERE rowid = ${position}`);
}
