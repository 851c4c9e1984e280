import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { recordUsage } from "~/features/usage/usage.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { readOverview } from "./overview.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => {
  setClock();
  test.close();
});

it("has no kind of data in a new organization, and the built-in model", async () => {
  expect(await readOverview(test.actors.viewer)).toMatchObject({
    has: { usage: false, documents: false, workflows: false, providers: false },
    change: { tokens: null, spend: null },
    model: { id: "quarterdeck-offline", status: "built-in" },
    documents: [],
    runs: [],
  });
});

it("compares with yesterday at the same time, and not with what came later that day", async () => {
  const record = (at: number, costMicros: number) => {
    setClock(() => at);
    transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: null,
        providerType: "openai",
        model: "gpt-4o",
        inputTokens: 100,
        outputTokens: 0,
        costMicros,
        durationMs: 1,
        outcome: "ok",
      }),
    );
  };
  record(Date.UTC(2026, 4, 1, 10), 1_000_000);
  record(Date.UTC(2026, 4, 1, 18), 9_000_000);
  record(Date.UTC(2026, 4, 2, 9), 500_000);
  record(Date.UTC(2026, 4, 2, 11), 1_000_000);
  setClock(() => Date.UTC(2026, 4, 2, 12));
  expect((await readOverview(test.actors.viewer)).change).toEqual({ tokens: 1, spend: 0.5 });
});

it("lists the newest documents first", async () => {
  addDocument("First");
  addDocument("Second");
  const { documents, has } = await readOverview(test.actors.viewer);
  expect(has.documents).toBe(true);
  expect(documents.map(({ name }) => name)).toEqual(["Second", "First"]);
});
