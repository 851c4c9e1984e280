import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import type { Block } from "~/work/extraction/document.schema";
import { listTextsBetween } from "~/work/index/indexed-documents.repo.server";
import { AROUND_PASSAGE, type Place, REACH, type Section, Surroundings } from "./retrieval/surroundings";
import type { SearchResult } from "./search.schema";

/** Tokens around all passages of a result, at most. */
const AROUND_RESULT = 2500;
/** Share of the model's context that they fill at most. */
const CONTEXT_SHARE = 1 / 16;
/** Tokens of a context that has no room beside the passages. */
const SHORT_CONTEXT = 8192;

/** Tokens for the text around passages. @param context of the model, in tokens; infinite if unknown */
export const surroundingTokens = (context: number): number =>
  context <= SHORT_CONTEXT ? 0 : Math.min(AROUND_RESULT, Math.floor(context * CONTEXT_SHARE));

type Found = Place & Pick<SearchResult["metadata"], "documentId" | "version">;

/** Passages of a version whose surroundings may meet. */
function groupNear(found: readonly Found[]): [Found, ...Found[]][] {
  const groups: [Found, ...Found[]][] = [];
  const inOrder = found.toSorted(
    (a, b) => a.documentId.localeCompare(b.documentId) || a.version - b.version || a.start - b.start,
  );
  let end = 0;
  for (const place of inOrder) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isSame = first?.documentId === place.documentId && first.version === place.version;
    if (group && isSame && place.start - end <= 2 * REACH) {
      group.push(place);
      end = Math.max(end, place.end);
    } else {
      groups.push([place]);
      end = place.end;
    }
  }
  return groups;
}

function surround(actor: Actor, group: [Found, ...Found[]]): Surroundings | undefined {
  const [{ documentId, version, start }] = group;
  const end = Math.max(...group.map((place) => place.end));
  const rows = listTextsBetween(db(), actor, { documentId, version }, start - REACH, end + REACH);
  const [first] = rows;
  if (!first) return undefined;
  const text = rows.map((row) => row.text).join("");
  const blocks = rows.flatMap((row) => JSON.parse(row.blocks) as Block[]);
  return new Surroundings({ text, blocks, base: first.start }, group);
}

/**
 * The sections around passages, of the versions that they quote and that the person may see. The best passages get
 * theirs first.
 * @param found best first
 * @param budget in tokens
 */
export function readSurroundings(actor: Actor, found: readonly Found[], budget: number): Section[] {
  if (budget <= 0) return [];
  const groups = groupNear(found).map((places) => ({ places, around: surround(actor, places) }));
  let left = budget;
  for (const place of found) {
    const group = groups.find(({ places }) => places.includes(place));
    left -= group?.around?.take(place.number, Math.min(left, AROUND_PASSAGE)) ?? 0;
  }
  return groups
    .flatMap(({ around }) => around?.sections() ?? [])
    .toSorted((a, b) => (a.passages[0] ?? 0) - (b.passages[0] ?? 0));
}
