import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { assertWithinRate } from "./calls.server";
import { toAnthropicError, toOpenAiError } from "./protocols/errors";

let at = 1_800_000_000_000;
let made = 0;

beforeEach(() => setClock(() => at));
afterEach(() => setClock());

/** An unused token. */
function newToken(requestsPerMinute: number | null) {
  made += 1;
  return { tokenId: `tok_${made}`, gateway: { models: null, requestsPerMinute } };
}

function refusal(work: () => void): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error("It was let through");
}

describe("a token's rate", () => {
  it("may be used at once, and is made up for evenly", () => {
    const token = newToken(2);
    assertWithinRate(token);
    assertWithinRate(token);
    at += 25_000;
    expect(refusal(() => assertWithinRate(token))).toMatchObject({ code: "rate_limited", retryAfter: 5 });
    at += 5000;
    assertWithinRate(token);
    expect(refusal(() => assertWithinRate(token)).retryAfter).toBe(30);
  });

  it("counts per token, without refused calls", () => {
    const token = newToken(1);
    assertWithinRate(token);
    for (let n = 0; n < 10; n++) refusal(() => assertWithinRate(token));
    assertWithinRate(newToken(1));
    at += 60_000;
    assertWithinRate(token);
  });

  it("says in the caller's protocol how many there are, and when all are free again", () => {
    const token = newToken(2);
    assertWithinRate(token);
    at += 10_000;
    assertWithinRate(token);
    const refused = refusal(() => assertWithinRate(token));
    expect(toOpenAiError(refused).headers).toEqual({
      "x-ratelimit-limit-requests": "2",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "50s",
    });
    expect(toAnthropicError(refused, null).headers).toEqual({
      "anthropic-ratelimit-requests-limit": "2",
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": new Date(at + 50_000).toISOString(),
    });
  });

  it("is no limit where none is set", () => {
    const token = newToken(null);
    for (let n = 0; n < 1000; n++) assertWithinRate(token);
    assertWithinRate({});
  });
});
