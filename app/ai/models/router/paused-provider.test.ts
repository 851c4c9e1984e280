import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { transaction } from "~/core/db.server";
import { providers } from "~db/schema";
import { openTestDatabase } from "../../../../tests/support/database";
import { ProviderHttpError } from "../provider-errors.server";
import { healthOf } from "./health.server";
import { newRouteRecord, routeCall } from "./open-model.server";

let test: ReturnType<typeof openTestDatabase>;
let count = 0;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

/** @returns its id */
function addProvider(): string {
  const { orgId } = test.actors.member;
  const id = `prv_paused_${++count}`;
  const config = { baseUrl: "http://127.0.0.1:1/v1" };
  const row = { id, orgId, type: "custom", displayName: "Lab", enabled: true, priority: 1 };
  transaction((tx) =>
    tx
      .insert(providers)
      .values({ ...row, config, models: ["m"], createdAt: 1, updatedAt: 1 })
      .run(),
  );
  return id;
}

/** A call to a provider that asked for a pause of so long, in ms. */
async function callDuring(pause: number) {
  const actor = test.actors.member;
  const id = addProvider();
  let calls = 0;
  const record = newRouteRecord();
  const caller = new AbortController();
  const call = () => routeCall({ actor, model: "m", signal: caller.signal }, record, async () => ++calls);
  // A pause from before the provider was configured doesn't count.
  (await call()).end({ outcome: "ok" });
  healthOf(id).coolDown(pause);
  const outcomes = () => record.attempts.map(({ outcome }) => outcome);
  return { second: call(), outcomes, leave: () => caller.abort(), calls: () => calls };
}

it("says how long a rate-limited provider is to be left alone, and doesn't call it", async () => {
  const { second, outcomes, calls } = await callDuring(60_000);
  await expect(second).rejects.toMatchObject({
    code: "rate_limited",
    message: "Lab is rate limited. Retrying in 60 s.",
    retryAfter: 60,
  });
  expect([calls(), outcomes()]).toEqual([1, ["answered", "skipped"]]);
});

it("waits for a short pause to end, unless the caller leaves", async () => {
  const { second, outcomes, leave, calls } = await callDuring(15_000);
  const ended = vi.fn();
  second.catch(ended);
  await expect.poll(() => outcomes()).toEqual(["answered", "skipped"]);
  await new Promise(setImmediate);
  expect(ended, "it waits instead of failing").not.toHaveBeenCalled();
  leave();
  await expect(second).rejects.toMatchObject({ name: "AbortError" });
  expect(calls(), "it wasn't called meanwhile").toBe(1);
});

it("records two servers that load a model as an attempt each, and why one failed then", async () => {
  addProvider();
  addProvider();
  const record = newRouteRecord();
  const refuse = (status: number, message: string) =>
    new ProviderHttpError(status, JSON.stringify({ error: { message } }), new Headers());
  const isLoading = refuse(503, "Loading model");
  const failures = [isLoading, isLoading, isLoading, refuse(400, "Out of memory")];
  const attempt = async () => {
    throw failures.shift();
  };
  await expect(routeCall({ actor: test.actors.member, model: "m" }, record, attempt)).rejects.toThrow();
  expect(record.attempts.map(({ said }) => said)).toEqual([
    "Loading model",
    "Loading model",
    "Out of memory",
  ]);
});
