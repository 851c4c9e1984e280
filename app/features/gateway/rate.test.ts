import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { takeTurn } from "./rate.server";

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
    takeTurn(token);
    takeTurn(token);
    at += 25_000;
    expect(refusal(() => takeTurn(token))).toMatchObject({ code: "rate_limited", retryAfter: 5 });
    at += 5000;
    takeTurn(token);
    expect(refusal(() => takeTurn(token)).retryAfter).toBe(30);
  });

  it("counts per token, without refused calls", () => {
    const token = newToken(1);
    takeTurn(token);
    for (let n = 0; n < 10; n++) refusal(() => takeTurn(token));
    takeTurn(newToken(1));
    at += 60_000;
    takeTurn(token);
  });

  it("is no limit where none is set", () => {
    const token = newToken(null);
    for (let n = 0; n < 1000; n++) takeTurn(token);
    takeTurn({});
  });
});
