import { fillSentence } from "../facts.schema";
import { auditSentences } from "../index.schema";
import type { AuditEntry, DescribedEntry } from "./audit.schema";

const sentences: ReadonlyMap<string, string> = new Map(Object.entries(auditSentences));

export function sentenceOf(entry: Pick<AuditEntry, "action" | "details">): string {
  const sentence = sentences.get(entry.action);
  const filled = sentence && fillSentence(sentence, entry.details);
  if (filled) return filled;
  return entry.action
    .split(/[._]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}

/** On the server, so that the sentences don't add to the client bundle. */
export const withSentence = (entry: AuditEntry): DescribedEntry => ({
  ...entry,
  sentence: sentenceOf(entry),
});
