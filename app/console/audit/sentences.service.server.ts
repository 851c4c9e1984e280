import type { AuditEntry, DescribedEntry } from "~/platform/audit/audit.schema";
import { sentenceOf } from "./sentences.server";

/** On the server, so that the sentences don't add to the client bundle. */
export const withSentence = (entry: AuditEntry): DescribedEntry => ({
  ...entry,
  sentence: sentenceOf(entry),
});
