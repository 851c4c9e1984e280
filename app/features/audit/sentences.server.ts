import { fillSentence } from "../facts.shared";
import { auditSentences } from "../index.schema";
import type { AuditEntry } from "./audit.schema";

const sentences: ReadonlyMap<string, string> = new Map(Object.entries(auditSentences));

/** An entry as a sentence. Unknown actions appear as title-cased words. */
export function sentenceOf(entry: Pick<AuditEntry, "action" | "details">): string {
  const sentence = sentences.get(entry.action);
  const filled = sentence && fillSentence(sentence, entry.details);
  if (filled) return filled;
  return entry.action
    .split(/[._]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
