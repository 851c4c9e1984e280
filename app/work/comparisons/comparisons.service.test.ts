import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { DAY } from "~/core/durations";
import { listAudit } from "~/platform/audit/audit.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { allowAnswers } from "../chat/answer/active-generation.server";
import { stopAllAnswers } from "../chat/answer/answers.server";
import { deleteExpired } from "../chat/retention/retention.service.server";
import {
  countExpiredComparisons,
  createComparison,
  deleteComparison,
  deleteExpiredComparisons,
  hasExpiredComparisons,
  listComparisons,
  readComparison,
  stopComparison,
} from "./comparisons.service.server";
import { findDifferences } from "./differences.service.server";

const MODELS = ["quarterdeck-offline", "quarterdeck-offline"];

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  setClock();
  await stopAllAnswers();
  allowAnswers();
  test.close();
});

const entries = () =>
  listAudit(test.actors.owner, { limit: 9 }).entries.map(({ action, resource, details }) => ({
    action,
    resource,
    details,
  }));

describe("a comparison", () => {
  it("is created, stopped once and deleted, each with an audit entry", async () => {
    const { member } = test.actors;
    const { id } = await createComparison(member, { prompt: "a long story ".repeat(300), models: MODELS });
    await expect.poll(() => listComparisons(member, { limit: 1 }).comparisons[0]?.running).toBe(true);
    await stopComparison(member, id);
    expect(readComparison(member, id).answers.map(({ answer }) => answer.status)).toEqual([
      "stopped",
      "stopped",
    ]);
    await stopComparison(member, id);
    await deleteComparison(member, id);
    expect(() => readComparison(member, id)).toThrow("Comparison not found");
    const resource = `comparison:${id}`;
    expect(entries()).toEqual([
      { action: "comparison.deleted", resource, details: {} },
      { action: "comparison.stopped", resource, details: {} },
      { action: "comparison.created", resource, details: { models: MODELS } },
    ]);
  });

  it("of an unavailable model or another person writes no audit entry", async () => {
    const { member, admin } = test.actors;
    const input = { prompt: "Which?", models: [...MODELS, "no-such-model"] };
    await expect(createComparison(member, input)).rejects.toMatchObject({
      fields: { models: [expect.stringContaining("no-such-model")] },
    });
    const { id } = await createComparison(member, { prompt: "Which?", models: MODELS });
    await expect(stopComparison(admin, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(deleteComparison(admin, id)).rejects.toMatchObject({ code: "not_found" });
    expect(entries().map(({ action }) => action)).toEqual(["comparison.created"]);
  });
});

it("tells how its answers differ, to its person alone and once they have ended", async () => {
  const { member, admin } = test.actors;
  const { id, answers } = await createComparison(member, {
    prompt: "a long story ".repeat(300),
    models: MODELS,
  });
  const [base = "", other = ""] = answers.map(({ conversationId }) => conversationId);
  await expect(findDifferences(member, id, base)).rejects.toMatchObject({ code: "conflict" });
  await stopComparison(member, id);
  const { answers: ended } = await createComparison(member, { prompt: "Which?", models: MODELS });
  await expect.poll(() => listComparisons(member, { limit: 1 }).comparisons[0]?.running).toBe(false);
  const [first, second] = ended;
  const comparison = listComparisons(member, { limit: 1 }).comparisons[0]?.id ?? "";
  const text = readComparison(member, comparison).answers[1]?.answer.content;
  expect(text).not.toBe("");
  expect(await findDifferences(member, comparison, first?.conversationId ?? "")).toEqual([
    { conversationId: second?.conversationId, changes: [{ in: "both", words: text }] },
  ]);
  await expect(findDifferences(member, comparison, other)).rejects.toMatchObject({ code: "not_found" });
  await expect(findDifferences(admin, comparison, base)).rejects.toMatchObject({ code: "not_found" });
});

it("is deleted past the retention of conversations, unless it runs", async () => {
  const { admin, member } = test.actors;
  const begin = (prompt: string) => createComparison(member, { prompt, models: MODELS });
  const { id } = await begin("Which?");
  await expect.poll(() => listComparisons(member, { limit: 1 }).comparisons[0]?.running).toBe(false);
  const running = await begin("a long story ".repeat(300));
  setClock(() => Date.now() + 31 * DAY);
  expect([hasExpiredComparisons(), deleteExpiredComparisons()]).toEqual([false, 0]);
  updateSettings(admin, "security", { conversationRetention: 30 });
  expect([countExpiredComparisons(admin, 30), countExpiredComparisons(admin, 32)]).toEqual([1, 0]);
  // Its columns go with it, not as conversations.
  expect(deleteExpired()).toBe(0);
  expect([hasExpiredComparisons(), deleteExpiredComparisons(), deleteExpiredComparisons()]).toEqual([
    true,
    1,
    0,
  ]);
  expect(listComparisons(member, { limit: 9 }).comparisons.map((one) => one.id)).toEqual([running.id]);
  expect(entries()[0]).toEqual({
    action: "comparison.deleted",
    resource: `comparison:${id}`,
    details: { retentionDays: 30 },
  });
});
