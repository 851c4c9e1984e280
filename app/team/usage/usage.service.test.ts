import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { openTestDatabase } from "../../../tests/support/database";
import { readUsage, recordUsage } from "./usage.service.server";

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
