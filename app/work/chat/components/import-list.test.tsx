import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import type { ConversationImport } from "../transfer/imports.schema";
import { ImportList } from "./import-list";

async function show(state: ConversationImport["state"], report: Partial<ConversationImport["report"]>) {
  const counts = { imported: 0, messages: 0, alreadyImported: 0, leftOut: {}, error: null, ...report };
  const times = { createdAt: "2026-11-27T09:00:00.000Z", finishedAt: null };
  const { document, text } = await rendered(
    <ImportList imports={[{ id: "imp_1", fileName: "chats.json", state, report: counts, ...times }]} />,
  );
  return { text, isOpen: document.querySelector("details")?.hasAttribute("open"), document };
}

it("counts what was imported, and what an earlier import had added", async () => {
  const again = await show("done", { imported: 1, messages: 2, alreadyImported: 1200 });
  expect(again.text).toContain("1 conversation, 2 messages · 1,200 imported before · ");
  const first = await show("done", { imported: 3, messages: 1 });
  expect(first.text).toContain("3 conversations, 1 message · ");
  expect(first.text, "nothing was imported before").not.toContain("imported before");
});

it("opens the reasons only if nothing was imported", async () => {
  const leftOut = { "attachments are not imported": 4 };
  const empty = await show("done", { leftOut });
  expect(empty.text).toMatch(/Attachments are not imported: 4.*Nothing imported/);
  const some = await show("done", { leftOut, imported: 1, messages: 1 });
  expect([empty.isOpen, some.isOpen]).toEqual([true, false]);
  expect((await show("done", { imported: 1, error: "Cut off" })).text).toMatch(/Cut off.*Incomplete/);
});

it("offers to cancel only what is still running", async () => {
  const cancels = async (state: ConversationImport["state"]) =>
    (await show(state, {})).document.querySelectorAll('[value="cancel"]').length > 0;
  expect([await cancels("running"), await cancels("failed")]).toEqual([true, false]);
});
