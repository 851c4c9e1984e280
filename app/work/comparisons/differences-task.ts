import { diffArrays } from "diff";
import { z } from "zod";

/** Words that are in `both` texts, only in the `base`, or only in this `text`. */
export const Change = z.object({ in: z.enum(["both", "base", "text"]), words: z.string() });
export type Change = z.infer<typeof Change>;

export const DifferencesTask = z.object({ base: z.string(), text: z.string() });
export type DifferencesTask = z.infer<typeof DifferencesTask>;

/** Of added and removed words and signs. Texts with more are replaced as a whole. */
const MAX_EDITS = 4000;
/** Fewer words than this between two changes are in both texts by chance. */
const FEWEST_COMMON = 3;

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** Words and signs, each with the space before it, and line breaks. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let space = "";
  for (const { segment } of segmenter.segment(text)) {
    if (segment.includes("\n")) {
      tokens.push(space + segment);
      space = "";
    } else if (segment.trim() === "") space += segment;
    else {
      tokens.push(space + segment);
      space = "";
    }
  }
  return space ? [...tokens, space] : tokens;
}

const isWord = (token: string) => /[\p{L}\p{N}]/u.test(token);

/** Whether both texts have it by chance, between two changes of one line. */
const isChance = (tokens: readonly string[]) =>
  tokens.filter(isWord).length < FEWEST_COMMON && !tokens.some((token) => token.includes("\n"));

const onlyIn = (place: "base" | "text", words: string): Change => ({ in: place, words });
const withoutEmpty = (changes: readonly Change[]) => changes.filter(({ words }) => words !== "");

/**
 * The changes from a base to a text, in their order: `both` and `base` together make the base, `both` and `text` the text.
 * Sentences in words of their own are replaced as a whole, in place of a word here and there.
 */
export function findChanges({ base, text }: DifferencesTask): Change[] {
  const parts = diffArrays(tokensOf(base), tokensOf(text), { maxEditLength: MAX_EDITS });
  if (!parts) return withoutEmpty([onlyIn("base", base), onlyIn("text", text)]);
  const changes: Change[] = [];
  let removed = "";
  let added = "";
  const end = () => {
    changes.push(onlyIn("base", removed), onlyIn("text", added));
    removed = "";
    added = "";
  };
  for (const [index, part] of parts.entries()) {
    const words = part.value.join("");
    const isBetween = (removed || added) && index < parts.length - 1;
    if (part.removed) removed += words;
    else if (part.added) added += words;
    else if (isBetween && isChance(part.value)) {
      removed += words;
      added += words;
    } else {
      end();
      changes.push({ in: "both", words });
    }
  }
  end();
  return withoutEmpty(changes);
}
