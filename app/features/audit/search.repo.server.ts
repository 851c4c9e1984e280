import { and, asc, desc, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { auditEntries } from "~db/schema";
import { type EntryFilter, type SearchWord, whereFilter } from "./audit.repo.server";

// `audit_search` holds the trigrams of an entry's texts under its position, without their places (109 bytes an entry):
// it names candidates, which the filter then checks. It is filled behind the commits; entries after it are scanned.

/** Trigrams of one text that are looked up. */
const MOST_TRIGRAMS = 40;
/** Alternatives of a word, such as actions and people, beyond which it narrows too little to be worth its lookups. */
const MOST_ALTERNATIVES = 12;

const { createdAt, orgId, seq } = auditEntries;

/** As a string of FTS5, of which nothing is syntax. */
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** The candidates that may contain a text; undefined for one too short for a trigram. */
function containing(text: string): string | undefined {
  const characters = [...text];
  const found = new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join("")));
  if (found.size === 0) return undefined;
  return `(${[...found].slice(0, MOST_TRIGRAMS).map(quoted).join(" AND ")})`;
}

function matchingWord({ text, actions, people }: SearchWord): string | undefined {
  const alternatives = [text, ...actions, ...people].map(containing);
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
    sql`(SELECT ${which} FROM ${auditEntries} INDEXED BY audit_entries_org WHERE ${orgId} = ${org} AND ${time})`;
  return [
    ...(from === undefined
      ? []
      : [sql`audit_search.rowid >= ${within(sql`min(${seq})`, sql`${createdAt} >= ${from}`)}`]),
    ...(to === undefined
      ? []
      : [sql`audit_search.rowid <= ${within(sql`max(${seq})`, sql`${createdAt} < ${to}`)}`]),
  ];
}

/**
 * Queries of a search, newest position first, for a reading process: of the entries after `indexed`, then of the index.
 * `entryOfColumns` reads their rows.
 */
export function searchQueries(tx: Db, filter: EntryFilter, candidates: string, indexed: number) {
  const { after, limit } = filter;
  const rest = sql`(SELECT ${seq} FROM ${auditEntries} NOT INDEXED WHERE ${and(
    gt(seq, indexed),
    after && lt(seq, after.seq),
    whereFilter(filter),
  )} ORDER BY ${desc(seq)} LIMIT ${limit})`;
  const found = sql`(SELECT ${seq} FROM audit_search CROSS JOIN ${auditEntries} ON ${seq} = audit_search.rowid WHERE ${and(
    sql`audit_search MATCH ${candidates}`,
    sql`audit_search.rowid <= ${Math.min(indexed, (after?.seq ?? Number.POSITIVE_INFINITY) - 1)}`,
    ...spanOf(filter),
    whereFilter(filter),
  )} ORDER BY audit_search.rowid DESC LIMIT ${limit})`;
  return [rest, found].map((positions) =>
    tx.select().from(auditEntries).where(inArray(seq, positions)).orderBy(desc(seq)).toSQL(),
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
    .select({ seq, body })
    .from(auditEntries)
    .where(gt(seq, readIndexed(tx)))
    .orderBy(asc(seq))
    .limit(limit);
  return tx.run(sql`INSERT INTO audit_search (rowid, body) SELECT * FROM ${next}`).changes;
}

/** Removes entries from the index: by their positions, since a range of them reads the whole index. */
export function forgetIndexed(tx: Db, positions: readonly number[]): void {
  for (const position of positions) tx.run(sql`DELETE FROM audit_search WHERE rowid = ${position}`);
}
