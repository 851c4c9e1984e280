import type { AuditEntry, DescribedEntry } from "~/platform/audit/audit.schema";
import { auditSentences, fillSentence } from "~/platform/catalogue/audit-actions";
import { fieldLabel } from "./entry-labels.shared";

const sentences: ReadonlyMap<string, string> = new Map(Object.entries(auditSentences));

const MAX_NAMED = 3;

/** A settings entry would otherwise read the same for every setting. */
function changedFields(after: AuditEntry["after"] | undefined): string {
  const labels = Object.keys(after ?? {}).map(fieldLabel);
  if (labels.length === 0) return "";
  const more = labels.length > MAX_NAMED ? ` and ${labels.length - MAX_NAMED} more` : "";
  return `: ${labels.slice(0, MAX_NAMED).join(", ")}${more}`;
}

/** An entry as a sentence. Unknown actions appear as title-cased words. */
export function sentenceOf(
  entry: Pick<AuditEntry, "action" | "details"> & Partial<Pick<AuditEntry, "after">>,
): string {
  const sentence = sentences.get(entry.action);
  const filled = sentence && fillSentence(sentence, entry.details);
  if (filled) return entry.action === "settings.updated" ? filled + changedFields(entry.after) : filled;
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
