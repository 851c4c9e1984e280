import type { AuditEntry } from "~/features/audit/audit.schema";
import { fillSentence } from "~/features/facts.schema";
import { auditSentences } from "~/features/index.schema";
import type { Tone } from "~/ui/badge";

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

/** Created and added green, deleted and removed red, updated and modified amber, everything else blue. */
export function toneOf(action: string): Tone {
  if (/created|added/.test(action)) return "success";
  if (/deleted|removed/.test(action)) return "danger";
  if (/updated|modified/.test(action)) return "warning";
  return "info";
}
