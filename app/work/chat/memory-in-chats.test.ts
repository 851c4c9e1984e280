import { afterEach, beforeEach, expect, it } from "vitest";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addMemory } from "./memories/memories.service.server";
import { prepare, settingsOf } from "./plan-answer.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  addMemory(test.actors.member, { text: "Prefers metric units" });
});
afterEach(() => test.close());

const prepared = (memory: boolean | undefined, as: "member" | "admin" = "member") => {
  const answer = prepare(test.actors[as], { model: OFFLINE_MODEL, tools: ["kv.get"], maxSteps: 1, memory });
  return {
    system: answer.system,
    tools: answer.plan.tools.map(({ name }) => name),
    settings: settingsOf(answer),
  };
};

it("is used by its person's chats alone, if they turned it on for themselves and for the chat", () => {
  const off = {
    system: undefined,
    tools: ["kv.get"],
    settings: expect.not.objectContaining({ memory: true }),
  };
  expect(prepared(true)).toEqual(off);
  for (const role of ["member", "admin"] as const) updateUserSettings(test.actors[role], { memory: true });
  expect(prepared(undefined)).toEqual(off);
  expect(prepared(false)).toEqual(off);
  expect(prepared(true)).toEqual({
    system: expect.stringContaining("Prefers metric units"),
    tools: ["kv.get", "memory.remember"],
    // Stored with the chat, whose tools stay those that were selected.
    settings: expect.objectContaining({ memory: true, tools: ["kv.get"] }),
  });
  expect(prepared(true, "admin").system).toBeUndefined();
});
