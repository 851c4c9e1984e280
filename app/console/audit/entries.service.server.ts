import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { DAY } from "~/core/durations";
import type { ReadQuery } from "~/core/read.thread";
import { type ReadLane, readInProcess } from "~/core/read-pool.server";
import { STRANGER } from "~/platform/audit/actor-name.shared";
import {
  type AuditRow,
  candidateAheadQuery,
  type EntryFilter,
  type EntryKey,
  entriesQuery,
  entryAheadQuery,
  entryOfColumns,
  listEntries,
  readIndexed,
  searchQueries,
} from "~/platform/audit/audit.repo.server";
import type { AuditEntry, AuditFilter, AuditQuery } from "~/platform/audit/audit.schema";
import { type AuditPage, keyOf, pageOf, readCursor, readsAll } from "~/platform/audit/audit.service.server";
import { DATE_RANGES, type DateRange } from "~/platform/audit/audit.shared";
import { toEntry } from "~/platform/audit/chain.server";
import { auditSentences } from "~/platform/catalogue/audit-actions";
import { namesOfActors } from "~/team/members/actor-names.service.server";
import type { ExportBatch } from "./encode-entries.server";
import { candidatesOf } from "./search-candidates.server";

/** Authors of entries, by the names under which a person searches for them. */
function listAuthors(actor: Actor): { id: string; name: string }[] {
  const names = Object.entries(namesOfActors(actor)).map(([id, name]) => ({
    id,
    name: id.startsWith("workflow:") ? `Workflow ${name}` : name,
  }));
  return [...names, { id: "system", name: "System" }, { id: STRANGER, name: "Someone" }];
}

const MAX_WORDS = 8;
const SENTENCES = Object.entries(auditSentences).map(
  ([action, sentence]) => [action, sentence.replaceAll(/\{[^}]*\}/g, "").toLowerCase()] as const,
);

function wordsOf(actor: Actor, search: string | undefined): EntryFilter["words"] {
  const words = (search ?? "")
    .split(/[\s\0]+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  if (words.length === 0) return undefined;
  const people = listAuthors(actor);
  return words.map((text) => {
    const lower = text.toLowerCase();
    return {
      text,
      actions: SENTENCES.flatMap(([action, sentence]) => (sentence.includes(lower) ? [action] : [])),
      people: people.flatMap(({ id, name }) => (name.toLowerCase().includes(lower) ? [id] : [])),
    };
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

/** Entries per search; a search without an index continues on the next page. */
export const SPAN = 20_000;

interface Found {
  rows: AuditRow[];
  reached?: EntryKey | undefined;
}

/** Searches in a separate process, so that other reads aren't blocked. */
async function search(filter: EntryFilter, lane: ReadLane, span: number): Promise<Found> {
  const candidates = candidatesOf(filter);
  const indexed = candidates === undefined ? 0 : readIndexed(db());
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
  const rows = results.slice(0, filter.limit).map(entryOfColumns);
  return rows.length < filter.limit ? { rows, reached } : { rows };
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
  return pageOf(rows, query.limit, reached);
}

/** One batch of an export. `text` comes from the exporting thread, `entries` from a search. */
type ExportPart = { text: string } | { entries: AuditEntry[] };

/**
 * Parts of an export: all matching entries, newest first.
 * @param encode reads and encodes the rows of a query in a thread
 */
export async function* exportParts(
  actor: Actor,
  query: AuditFilter,
  { batch, encode }: { batch: number; encode: (query: ReadQuery) => Promise<ExportBatch> },
): AsyncGenerator<ExportPart> {
  const filter = { ...filterOf(actor, query), limit: batch };
  let after: EntryFilter["after"];
  for (;;) {
    const next = { ...filter, after };
    if (isSearch(filter)) {
      const { rows, reached } = await search(next, "long", SPAN);
      yield { entries: rows.map(toEntry) };
      const last = rows.at(-1);
      after = reached ?? (last && rows.length === batch ? keyOf(last) : undefined);
    } else {
      const { text, count, last } = await encode(entriesQuery(db(), next));
      yield { text };
      after = count === batch ? last : undefined;
    }
    if (!after) return;
  }
}
