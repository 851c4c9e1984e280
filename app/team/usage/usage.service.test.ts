import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import type { Topic } from "~/platform/catalogue/topics";
import { liveVersion, subscribe } from "~/platform/events/events.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { readUsage, recordUsage, startUsageEvents } from "./usage.service.server";

describe("usage", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("records a call, visible only to its organization", () => {
    const id = transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: "prv_1",
        providerType: "openai",
        model: "gpt-4o",
        inputTokens: 1000,
        outputTokens: 100,
        costMicros: 3500,
        firstTokenMs: 210.6,
        durationMs: 900,
        outcome: "ok",
      }),
    );
    expect(readUsage(test.actors.viewer, [id]).get(id)).toEqual({
      id,
      model: "gpt-4o",
      inputTokens: 1000,
      outputTokens: 100,
      costMicros: 3500,
      firstTokenMs: 211,
      durationMs: 900,
      outcome: "ok",
    });
    expect(readUsage({ orgId: "org_other" }, [id]).size).toBe(0);
  });

  const record = () => {
    const call = { providerId: null, providerType: "openai", durationMs: 9, outcome: "ok" } as const;
    transaction((tx) => recordUsage(tx, test.actors.member, { ...call, model: "gpt-4o", costMicros: 1500 }));
  };

  it("is published to the live stream after its commit", () => {
    const stop = startUsageEvents();
    const before = liveVersion();
    record();
    expect(liveVersion()).not.toBe(before);
    stop();
  });

  it("is published once, also if a subscriber fails", () => {
    const stop = startUsageEvents();
    const topics: Topic[] = ["usage"];
    const unsubscribe = subscribe(test.actors.admin, { topics, isBehind: () => false }, () => undefined);
    topics.includes = () => {
      throw new Error("the subscriber failed");
    };
    record();
    unsubscribe();
    const published = liveVersion();
    transaction(() => undefined);
    expect(liveVersion()).toBe(published);
    stop();
  });

  it("keeps unknown and implausible figures unknown", () => {
    const id = transaction((tx) =>
      recordUsage(tx, test.actors.member, {
        providerId: null,
        providerType: "custom",
        model: "m",
        inputTokens: Number.NaN,
        outputTokens: -3,
        costMicros: null,
        durationMs: 5,
        outcome: "error",
        errorCode: "provider_timeout",
      }),
    );
    expect(readUsage(test.actors.member, [id]).get(id)).toMatchObject({
      inputTokens: null,
      outputTokens: null,
      costMicros: null,
      firstTokenMs: null,
    });
  });
});
