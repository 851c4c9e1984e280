import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UNKNOWN_USAGE } from "~/ai/models/language-model";
import type { ResolvedModel, RouteTarget } from "~/ai/models/models.service.server";
import { rawDatabase, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { endStreams, liveVersion, subscribe } from "~/platform/events/events.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { insertConversation, insertMessage } from "../chat.repo.server";
import { readConversation } from "../conversations.service.server";
import { changeConversation } from "../list/list.service.server";
import { planTitle } from "./plan-title.server";
import { cleanTitle, proposeTitle } from "./propose-title.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  const { orgId, userId } = test.actors.member;
  transaction((tx) => {
    const row = { orgId, userId, model: "m", settings: {}, createdAt: 1, updatedAt: 1 };
    insertConversation(tx, { id: "con_1", title: "When is high", ...row });
    for (const [position, text] of ["When is high water?", "At noon."].entries()) {
      const role = position === 0 ? ("user" as const) : ("assistant" as const);
      const parts = [{ type: "text", id: "0", text }];
      const base = {
        conversationId: "con_1",
        position,
        role,
        status: "complete" as const,
        parts,
        createdAt: 1,
      };
      insertMessage(tx, { ...base, id: `msg_${position}` });
    }
  });
});
afterEach(() => {
  endStreams();
  test.close();
});

/** A model that answers with a text, or fails. */
function model(answer: string | Error, meanwhile?: () => void): ResolvedModel {
  const parts = [
    { type: "text-delta", id: "0", delta: String(answer) },
    {
      type: "finish",
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: { total: 40 }, outputTokens: { total: 4 } },
    },
  ] as LanguageModelV3StreamPart[];
  const target = {
    providerId: "prv_1",
    providerType: "openai",
    modelId: "m",
    requestedModel: "m",
    pricing: null,
  };
  return {
    modelId: "m",
    open: async () => {
      if (answer instanceof Error) throw answer;
      meanwhile?.();
      const rest = [...parts];
      const stream = { read: async () => rest.shift(), cancel: () => {} };
      return { stream, target: target as unknown as RouteTarget, usage: () => UNKNOWN_USAGE };
    },
  };
}
const propose = (by: ResolvedModel) =>
  proposeTitle(test.actors.member, "con_1", by, new AbortController().signal);
const title = () => readConversation(test.actors.member, "con_1").title;
const usage = () => rawDatabase().prepare("SELECT outcome, input_tokens AS input FROM usage_records").all();
const jobs = () => rawDatabase().prepare("SELECT kind FROM jobs").pluck().all();
const plan = (modelId = "gpt-4o") => transaction((tx) => planTitle(tx, test.actors.member, "con_1", modelId));

it("uses the model's title, announces it only to its owner, and records the call", async () => {
  const { member, admin } = test.actors;
  const heard: string[] = [];
  const followed = ["conversations"] as const;
  const announced = new Promise<void>((resolve) => {
    subscribe(admin, { topics: followed, isBehind: () => false, since: liveVersion() }, () =>
      heard.push("admin"),
    );
    subscribe(member, { topics: followed, isBehind: () => false, since: liveVersion() }, () => resolve());
  });
  await propose(model('"High water at noon."\nMore text'));
  expect(title()).toBe("High water at noon");
  expect(usage()).toEqual([{ outcome: "ok", input: 40 }]);
  await announced;
  expect(heard).toEqual([]);
});

it("keeps the title that a person set while the model wrote", async () => {
  await propose(model("Tides", () => changeConversation(test.actors.member, "con_1", { title: "My own" })));
  expect(title()).toBe("My own");
});

it("keeps the first words if no model answers or the answer is blank", async () => {
  await propose(model(new AppError("budget_exceeded", "The budget is used up.")));
  await propose(model(' "" '));
  expect(title()).toBe("When is high");
  expect(usage()).toEqual([
    { outcome: "error", input: null },
    { outcome: "ok", input: 40 },
  ]);
});

it("is planned after the first answer, only where it is turned on and never for the built-in model", () => {
  plan();
  expect(jobs()).toEqual([]);
  updateSettings(test.actors.owner, "ai", { proposeTitles: true });
  plan("quarterdeck-offline");
  expect(jobs()).toEqual([]);
  plan();
  expect(jobs()).toEqual(["chat.propose-title"]);
  changeConversation(test.actors.member, "con_1", { title: "My own" });
  plan();
  expect(jobs()).toEqual(["chat.propose-title"]);
});

it("has no quotation marks, Markdown or further lines", () => {
  expect(["**Tides**", "„Ebbe und Flut“", "# Plan\n- a"].map(cleanTitle)).toEqual([
    "Tides",
    "Ebbe und Flut",
    "Plan",
  ]);
});
