import type { AuditEntry } from "~/features/audit/audit.schema";
import type { Tone } from "~/ui/badge";

const text = (value: unknown, otherwise: string) =>
  typeof value === "string" && value ? value : typeof value === "number" ? String(value) : otherwise;

type Details = AuditEntry["details"];

const SENTENCES: Record<string, (details: Details) => string> = {
  "user.login": () => "Signed in",
  "user.logout": () => "Signed out",
  "provider.created": (details) => `Added the provider ${text(details.provider, "")}`,
  "provider.updated": (details) => `Changed the provider ${text(details.provider, "")}`,
  "persona.created": (details) => `Created the persona ${text(details.name, "")}`,
  "workflow.executed": (details) => `Ran the workflow ${text(details.workflowName, "")}`,
  "document.uploaded": (details) => `Added the document ${text(details.filename, "")}`,
  "document.updated": (details) => `Changed the document ${text(details.name, text(details.filename, ""))}`,
  "document.deleted": (details) => `Deleted the document ${text(details.name, "")}`,
  "document.restored": (details) => `Brought back the document ${text(details.name, "")}`,
  "document.version_restored": (details) =>
    `Had version ${text(details.version, "")} of ${text(details.name, "a document")} searched again`,
  "document.version_kept": (details) =>
    `Kept the version of ${text(details.name, "a document")} that is searched`,
  "document.retried": (details) => `Tried the document ${text(details.filename, "")} again`,
  "document.reordered": (details) => `Put the documents of ${text(details.category, "a category")} in order`,
  "category.created": (details) => `Added the category ${text(details.name, "")}`,
  "category.updated": (details) =>
    `Renamed the category ${text(details.from, "")} to ${text(details.name, "")}`,
  "category.deleted": (details) => `Deleted the category ${text(details.name, "")}`,
  "extension.enabled": () => "Enabled an extension",
  "extension.disabled": () => "Disabled an extension",
  "api_key.created": (details) => `Added the key reference ${text(details.alias, "")}`,
  "index.built": (details) => `Completed an index of ${text(details.chunks, "0")} chunks`,
  "index.switched": (details) => `Switched the search to an index of ${text(details.chunks, "0")} chunks`,
  "index.cancelled": () => "Cancelled an index that was being made",
  "index.rebuild": () => "Had the search index made anew",
  "audit.accepted": () => "Accepted the audit trail as complete",
  "settings.updated": () => "Changed settings",
};

/** An audit entry as a person says it; actions without a sentence appear as title-cased words. */
export function sentenceOf(entry: Pick<AuditEntry, "action" | "details">): string {
  const sentence = SENTENCES[entry.action]?.(entry.details).trim();
  if (sentence) return sentence;
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
