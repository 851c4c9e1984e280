import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { searchedWords } from "~/core/language/find-terms";
import { hasWords } from "~/core/language/find-words.shared";
import { foldText } from "~/core/language/fold";
import { type ReadLane, readInProcess, readInThread } from "~/core/read-pool.server";
import { STRANGER } from "~/platform/audit/actor-name.shared";
import {
  candidateAheadQuery,
  type EntryFilter,
  type EntryKey,
  entriesQuery,
  entryAheadQuery,
  entryOfColumns,
  listEntries,
  readIndexed,
  readLastEntry,
  type SearchWord,
  searchQueries,
} from "~/platform/audit/audit.repo.server";
import type { AuditEntry, AuditFilter, AuditQuery } from "~/platform/audit/audit.schema";
import { type AuditPage, keyOf, pageOf, readCursor, readsAll } from "~/platform/audit/audit.service.server";
import { DATE_RANGES, type DateRange } from "~/platform/audit/audit.shared";
import { toEntry } from "~/platform/audit/chain.server";
import { auditSentences } from "~/platform/catalogue/audit-actions";
import { namesOfActors } from "~/team/members/member-names.service.server";

/** Authors of entries, by the names under which a person searches for them. */
function listAuthors(actor: Actor): { id: string; name: string }[] {
  const names = Object.entries(namesOfActors(actor)).map(([id, name]) => ({
    id,
    name: id.startsWith("workflow:") ? `Workflow ${name}` : name,
  }));
  return [...names, { id: "system", name: "System" }, { id: STRANGER, name: "Someone" }];
}

const SENTENCES = Object.entries(auditSentences).map(
  ([action, sentence]) => [action, foldText(sentence.replaceAll(/\{[^}]*\}/g, ""))] as const,
);

function wordsOf(actor: Actor, search: string | undefined): EntryFilter["words"] {
  const words = searchedWords(search ?? "");
  if (words.length === 0) return undefined;
  const people = listAuthors(actor).map(({ id, name }) => [id, foldText(name)] as const);
  return words.map((word) => {
    const idsOf = (named: readonly (readonly [string, string])[]) =>
      named.flatMap(([id, folded]) => (hasWords(folded, [word]) ? [id] : []));
    return { word, actions: idsOf(SENTENCES), people: idsOf(people) };
  });
}

/** Converts a filter for the repo. Below admin it finds only the actor's own entries. */
function filterOf(actor: Actor, filter: AuditFilter): Omit<EntryFilter, "limit"> {
  const { action, address, from, person, resource, search, to } = filter;
  const words = wordsOf(actor, search);
  // No user has the empty id, so it matches nothing.
  const own = person === undefined || person === actor.userId ? actor.userId : "";
  return {
    orgId: actor.orgId,
    userId: readsAll(actor) ? person : own,
    action: action === "all" ? undefined : action,
    resource,
    address,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    ...(words ? { words } : {}),
  };
}

const isSearch = ({ address, words }: EntryFilter) => words !== undefined || address !== undefined;

const MAX_TRIGRAMS = 40;
/** Maximum alternatives per word; more make the index lookup too expensive. */
const MAX_ALTERNATIVES = 12;

/** As an FTS5 string literal. */
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

function containing(text: string): string | undefined {
  const characters = [...foldText(text)];
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  const literals = new Set(trigrams);
  if (literals.size === 0) return undefined;
  return `(${[...literals].slice(0, MAX_TRIGRAMS).map(quoted).join(" AND ")})`;
}

function matchingWord({ word, actions, people }: SearchWord): string | undefined {
  // The word itself already matches longer names that contain it.
  const others = [...actions, ...people].filter((name) => !hasWords(foldText(name), [word]));
  const alternatives = [...word.spellings, ...others].map(containing);
  if (alternatives.length > MAX_ALTERNATIVES || alternatives.includes(undefined)) return undefined;
  return `(${alternatives.join(" OR ")})`;
}

/**
 * @returns an FTS5 expression that each matching entry fulfills, among others; undefined if the filter has nothing to look up
 */
function candidatesOf({ words = [], address, userId, resource }: EntryFilter): string | undefined {
  const exact = [address, userId, resource].map((text) =>
    text === undefined ? undefined : containing(text),
  );
  const conditions = [...words.map(matchingWord), ...exact].filter((part) => part !== undefined);
  return conditions.length > 0 ? conditions.join(" AND ") : undefined;
}

/** Entries per search; a search without an index continues on the next page. */
export const SPAN = 20_000;

/** Rows as their columns' values, which are parsed where they are used. */
interface Found {
  rows: unknown[][];
  reached?: EntryKey | undefined;
}

/** Searches in a separate process, so that other reads aren't blocked. */
async function search(filter: EntryFilter, lane: ReadLane, span: number): Promise<Found> {
  const indexed = readIndexed(db());
  // After an upgrade that builds the index again, most entries may not be in it yet.
  const isBehind = (readLastEntry(db())?.seq ?? 0) - indexed > span;
  const candidates = isBehind ? undefined : candidatesOf(filter);
  const ahead =
    candidates === undefined
      ? entryAheadQuery(db(), filter, span)
      : candidateAheadQuery(db(), filter, { candidates, indexed, count: span });
  const [[createdAt, seq] = []] = (await readInProcess([ahead], { lane })).flat();
  const reached = seq === undefined ? undefined : { createdAt: Number(createdAt), seq: Number(seq) };
  const bounded = { ...filter, until: reached };
  const queries =
    candidates === undefined
      ? [entriesQuery(db(), bounded)]
      : searchQueries(db(), bounded, candidates, indexed);
  const results = (await readInProcess(queries, { lane, maxRows: filter.limit })).flat();
  const rows = results.slice(0, filter.limit);
  return rows.length < filter.limit ? { rows, reached } : { rows };
}

async function listInThread(filter: EntryFilter): Promise<Found> {
  const [rows = []] = await readInThread("long", [entriesQuery(db(), filter)]);
  return { rows };
}

/** Whether the organization has any entry, also those that the actor may not read. */
export const hasEntries = ({ orgId }: Actor): boolean => listEntries(db(), { orgId, limit: 1 }).length > 0;

export function startOf(range: DateRange): string | undefined {
  const days = DATE_RANGES[range];
  return days === undefined ? undefined : new Date(now() - days * DAY).toISOString();
}

/**
 * A page of matching entries, newest first; below admin, only the actor's own. A page of a search may hold fewer entries
 * than the limit, or none, even if more pages follow.
 *
 * @param span maximum number of entries that a search scans
 */
export async function pageAudit(actor: Actor, query: AuditQuery, span = SPAN): Promise<AuditPage> {
  const filter = {
    ...filterOf(actor, query),
    limit: query.limit + 1,
    after: readCursor(query.cursor),
  };
  if (!isSearch(filter)) return pageOf(listEntries(db(), filter), query.limit);
  const { rows, reached } = await search(filter, "screen", span);
  return pageOf(rows.map(entryOfColumns), query.limit, reached);
}

/** Entries that an export reads at once. */
const BATCH = 250;
/** Entries parsed and encoded in one turn of the event loop, which others share. */
const PIECE = 25;

/** All matching entries in pieces, newest first. */
export async function* exportEntries(actor: Actor, query: AuditFilter): AsyncGenerator<AuditEntry[]> {
  const filter = { ...filterOf(actor, query), limit: BATCH };
  let after: EntryFilter["after"];
  do {
    const next = { ...filter, after };
    const { rows, reached }: Found = isSearch(filter)
      ? await search(next, "long", SPAN)
      : await listInThread(next);
    for (let at = 0; at < rows.length; at += PIECE) {
      yield rows.slice(at, at + PIECE).map((row) => toEntry(entryOfColumns(row)));
      await yieldToEventLoop();
    }
    const last = rows.at(-1);
    after = reached ?? (last && rows.length === BATCH ? keyOf(entryOfColumns(last)) : undefined);
  } while (after);
}
