import { fillSentence } from "../facts.schema";
import { auditSentences } from "../index.schema";
import type { AuditEntry, DescribedEntry } from "./audit.schema";

const sentences: ReadonlyMap<string, string> = new Map(Object.entries(auditSentences));

/**
 * An audit entry as a person says it. Actions without a sentence, and entries that lack one of its details, appear as
 * title-cased words.
 */
export function sentenceOf(entry: Pick<AuditEntry, "action" | "details">): string {
  const sentence = sentences.get(entry.action);
  const filled = sentence && fillSentence(sentence, entry.details);
  if (filled) return filled;
  return entry.action
    .split(/[._]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}

/** For the screens: the sentences stay on the server, where they weigh nothing. */
export const withSentence = (entry: AuditEntry): DescribedEntry => ({
  ...entry,
  sentence: sentenceOf(entry),
});
