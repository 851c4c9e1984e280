import type { Section } from "./sections";
import type { Source } from "./source";
import { type Span, splitRun } from "./split-run";

function commonPath(one: readonly string[], other: readonly string[]): string[] {
  const differs = one.findIndex((name, at) => name !== other[at]);
  return one.slice(0, differs < 0 ? one.length : differs);
}

const isBare = (source: Source, { fresh, end }: Span) => {
  for (let at = fresh; at < end; at++) if (source.kind(at) !== "heading") return false;
  return true;
};

/** Two neighbors join if they fit the target and one of them is too small alone. */
function shouldJoin(source: Source, one: Span, other: Span): boolean {
  const { target } = source.chunking;
  const [first, second] = [source.weight(one.from, one.end), source.weight(other.fresh, other.end)];
  if (first + second > target) return false;
  if (one.isWhole && other.isWhole) return first < target / 2 || second < target / 8;
  return Math.min(first, second) < target / 8;
}

/** Joins small sections of one parent, and an empty heading with the next section. */
function joinSmallSpans(source: Source, spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && isBare(source, last)) {
      joined[joined.length - 1] = { ...span, from: last.from, fresh: last.fresh };
    } else if (last && shouldJoin(source, last, span)) {
      const path = commonPath(last.path, span.path);
      joined[joined.length - 1] = { ...last, end: span.end, path, isWhole: last.isWhole && span.isWhole };
    } else joined.push(span);
  }
  return joined;
}

/** One chunk if the section fits, otherwise its own text and then each subsection. */
export function planSection(source: Source, section: Section): Span[] {
  const { from, ownEnd, end, path, sections } = section;
  const [only] = sections;
  if (only && sections.length === 1 && ownEnd === from) return planSection(source, only);
  if (source.weight(from, end) <= source.chunking.target)
    return [{ from, fresh: from, end, path, isWhole: true }];
  const own = ownEnd > from ? splitRun(source, from, ownEnd, path) : [];
  return joinSmallSpans(source, [...own, ...sections.flatMap((part) => planSection(source, part))]);
}
