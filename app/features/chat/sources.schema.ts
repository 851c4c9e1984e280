import { passagesOf, type QuotedPassage } from "~/features/knowledge/passages.schema";
import type { MessagePart } from "./chat.schema";

// Without a schema library, like the folding of answers: the browser reads sources while an answer is written.

/** A passage that an answer could draw on. */
export interface AnswerSource {
  /** Its number in this answer, from 1, however many searches there were. */
  number: number;
  passage: QuotedPassage;
  /** Whether the answer's text names it. */
  cited: boolean;
}

export interface AnswerSources {
  list: AnswerSource[];
  /** By the passage's address, as a link in the text names it. */
  byUrl: ReadonlyMap<string, AnswerSource>;
  /** By the number that its search gave it, where no other search gave the same number to another passage. */
  byNumber: ReadonlyMap<number, AnswerSource>;
}

/** A number in brackets that isn't a link's text. */
export const BARE_CITATION = /\[(\d{1,2})\](?!\()/g;

/** What the searches of an answer found, each passage once, in the order it was found. */
export function sourcesOf(parts: readonly MessagePart[]): AnswerSources {
  const byUrl = new Map<string, AnswerSource>();
  const numbered = new Map<number, Set<AnswerSource>>();
  for (const part of parts) {
    if (part.type !== "tool" || part.state !== "done") continue;
    for (const passage of passagesOf(part.output) ?? []) {
      const source = byUrl.get(passage.url) ?? { number: byUrl.size + 1, passage, cited: false };
      byUrl.set(passage.url, source);
      numbered.set(passage.number, (numbered.get(passage.number) ?? new Set()).add(source));
    }
  }
  const byNumber = new Map<number, AnswerSource>();
  for (const [number, [source, ...others]] of numbered)
    if (source && others.length === 0) byNumber.set(number, source);
  if (byUrl.size === 0) return { list: [], byUrl, byNumber };
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  for (const source of byUrl.values()) source.cited = text.includes(`](${source.passage.url})`);
  for (const [, number] of text.matchAll(BARE_CITATION)) {
    const source = byNumber.get(Number(number));
    if (source) source.cited = true;
  }
  return { list: [...byUrl.values()], byUrl, byNumber };
}
