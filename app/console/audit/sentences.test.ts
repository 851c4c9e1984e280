import { expect, it } from "vitest";
import { toneOf } from "./entry-labels.shared";
import { sentenceOf } from "./sentences.service.server";

it.each([
  ["persona.created", { name: "Analyst" }, "Created the persona Analyst"],
  ["user.login", {}, "Signed in"],
  ["user.logout", {}, "Signed out"],
  ["provider.created", { provider: "openai" }, "Added the provider openai"],
  ["provider.updated", { provider: "openai", displayName: "Our hub" }, "Changed the provider Our hub"],
  ["workflow.executed", { workflowName: "Digest", steps: 2 }, "Ran the workflow Digest"],
  ["document.uploaded", { filename: "plan.pdf", chunks: 4 }, "Added the document plan.pdf"],
  ["document.uploaded", { chunks: 4 }, "Added the document"],
  ["conversation.imported", { imported: 1 }, "Imported 1 conversation"],
  ["document.unpacked", { files: 2 }, "Unpacked 2 files of an archive"],
  ["document.updated", { filename: "plan.pdf" }, "Changed the document plan.pdf"],
  ["document.version_restored", { version: 3 }, "Restored version 3 of a document"],
  ["extension.enabled", {}, "Enabled an extension"],
  ["extension.disabled", {}, "Disabled an extension"],
  ["api_key.created", { alias: "OPENAI_API_KEY" }, "Added the key reference OPENAI_API_KEY"],
  ["settings.updated", { before: {}, after: {} }, "Changed settings"],
  // An unknown action, and an entry with a missing detail.
  ["workflow.step_retried", {}, "Workflow Step Retried"],
  ["persona.deleted", { name: ["x"] }, "Persona Deleted"],
  ["toString", {}, "ToString"],
])("describes %s as a sentence", (action, details, sentence) => {
  expect(sentenceOf({ action, details })).toBe(sentence);
});

it.each([
  [{ maxTokens: 100 }, "Changed settings: Max tokens"],
  [{ a: 1, enableCSP: true, cC: 3, d: 4, e: 5 }, "Changed settings: A, Enable CSP, C c and 2 more"],
  [null, "Changed settings"],
])("names the settings that changed: %j", (after, sentence) => {
  expect(sentenceOf({ action: "settings.updated", details: {}, after })).toBe(sentence);
});

it.each([
  ["persona.created", "success"],
  ["member.removed", "danger"],
  ["settings.updated", "warning"],
  ["user.login", "info"],
])("colors %s %s", (action, tone) => {
  expect(toneOf(action)).toBe(tone);
});
