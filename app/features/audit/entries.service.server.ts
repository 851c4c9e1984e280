import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { type ReadLane, readInProcess, readInThread } from "~/core/read-pool.server";
import { auditSentences } from "~/features/index.schema";
import { listColleagues } from "~/features/members/member.service.server";
import {
  type AuditRow,
  type EntryFilter,
  entriesQuery,
  entryOfColumns,
  listEntries,
} from "./audit.repo.server";
import type { AuditFilter, AuditQuery } from "./audit.schema";
import { type AuditPage, keyOf, pageOf, readCursor, readsAll, toEntry } from "./audit.service.server";
import { DATE_RANGES, type DateRange } from "./filters.schema";
import { candidatesOf, readIndexed, searchQueries } from "./search.repo.server";

/** Searched words that are looked for; the rest is ignored. */
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
  const people = [...listColleagues(actor), { id: "system", name: "System" }];
  return words.map((text) => {
    const lower = text.toLowerCase();
    return {
      text,
      actions: SENTENCES.flatMap(([action, sentence]) => (sentence.includes(lower) ? [action] : [])),
      people: people.flatMap(({ id, name }) => (name.toLowerCase().includes(lower) ? [id] : [])),
    };
  });
}

/** The filter in the repo's terms. Below admin it finds a person's own entries alone. */
function filterOf(actor: Actor, filter: AuditFilter): Omit<EntryFilter, "limit"> {
  const { action, address, from, person, resource, search, to } = filter;
  const words = wordsOf(actor, search);
  // Nobody has the empty id: someone else's entries are none of a member's.
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

/** Whether a query reads more than an index of the table finds for it. */
const isSearch = ({ address, words }: EntryFilter) => words !== undefined || address !== undefined;

/** The entries of a search in a process, so that nobody waits behind it. */
async function search(filter: EntryFilter, lane: ReadLane): Promise<AuditRow[]> {
  const candidates = candidatesOf(filter);
  const queries =
    candidates === undefined
      ? [entriesQuery(db(), filter)]
      : searchQueries(db(), filter, candidates, readIndexed(db()));
  const rows = await readInProcess(queries, { lane, enough: filter.limit });
  return rows.flat().slice(0, filter.limit).map(entryOfColumns);
}

const DAY = 24 * 60 * 60_000;

/** The first moment of a date range of the audit log's screen; undefined for all time. */
export function startOf(range: DateRange): string | undefined {
  const days = DATE_RANGES[range];
  return days === undefined ? undefined : new Date(now() - days * DAY).toISOString();
}

/** A page of the entries that match, newest first; below admin, a person's own. */
export async function pageAudit(actor: Actor, query: AuditQuery): Promise<AuditPage> {
  const filter = {
    ...filterOf(actor, query),
    limit: query.limit + 1,
    after: readCursor(query.cursor),
  };
  const found = isSearch(filter) ? await search(filter, "screen") : listEntries(db(), filter);
  return pageOf(found, query.limit);
}

/** All entries that match, newest first, in batches that are read when the one before is used up. */
export async function* readAllAudit(actor: Actor, query: AuditFilter, batch: number) {
  const filter = { ...filterOf(actor, query), limit: batch };
  let after: EntryFilter["after"];
  for (;;) {
    const next = { ...filter, after };
    const rows = isSearch(filter)
      ? await search(next, "long")
      : (await readInThread("long", [entriesQuery(db(), next)])).flat().map(entryOfColumns);
    yield rows.map(toEntry);
    const last = rows.at(-1);
    if (rows.length < batch || !last) return;
    after = keyOf(last);
  }
}
