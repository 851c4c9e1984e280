import type { EntryFilter, SearchWord } from "~/platform/audit/audit.repo.server";

const MAX_TRIGRAMS = 40;
/** Maximum alternatives per word; more make the index lookup too expensive. */
const MAX_ALTERNATIVES = 12;

/** As an FTS5 string literal. */
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

function containing(text: string): string | undefined {
  const characters = [...text];
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  // SQLite folds other letters differently from `containsText`.
  const literals = new Set(trigrams.filter((trigram) => /^\p{ASCII}*$/u.test(trigram)));
  if (literals.size === 0) return undefined;
  return `(${[...literals].slice(0, MAX_TRIGRAMS).map(quoted).join(" AND ")})`;
}

function matchingWord({ text, actions, people }: SearchWord): string | undefined {
  // The word itself already matches longer names that contain it.
  const lower = text.toLowerCase();
  const others = [...actions, ...people].filter((name) => !name.toLowerCase().includes(lower));
  const alternatives = [text, ...others].map(containing);
  if (alternatives.length > MAX_ALTERNATIVES || alternatives.includes(undefined)) return undefined;
  return `(${alternatives.join(" OR ")})`;
}

/**
 * @returns an FTS5 expression that each matching entry fulfills, among others; undefined if the filter has nothing to look up
 */
export function candidatesOf({ words = [], address, userId, resource }: EntryFilter): string | undefined {
  const exact = [address, userId, resource].map((text) =>
    text === undefined ? undefined : containing(text),
  );
  const conditions = [...words.map(matchingWord), ...exact].filter((part) => part !== undefined);
  return conditions.length > 0 ? conditions.join(" AND ") : undefined;
}
