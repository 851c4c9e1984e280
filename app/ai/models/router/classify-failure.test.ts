import { UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import { ProviderHttpError } from "../provider-errors.server";
import { classifyFailure } from "./classify-failure.server";

const refused = (status: number, error: object) =>
  new ProviderHttpError(status, JSON.stringify({ error }), new Headers());

/** Words that a caller can choose: names of tools, values of an enum. */
const CALLER_WORDS = [
  "report_invalid_api_key",
  "authentication_error",
  "invalid x-api-key",
  "get_billing_info",
  "insufficient_quota",
  "model_not_found",
  "overloaded, rate_limit, internal, unavailable, timeout",
];

describe("a failure's class", () => {
  it.each(CALLER_WORDS)("doesn't depend on a caller's words in a refusal: %s", (words) => {
    for (const message of [
      `Invalid schema for function '${words}': not an object.`,
      `'${words}' is not one of ['a', 'b']`,
      `The model could not read "${words}": not found.`,
    ]) {
      const error = refused(400, { message, type: "invalid_request_error", param: words, code: null });
      expect(classifyFailure(error)).toEqual({ kind: "caller", health: "healthy" });
    }
  });

  it.each(CALLER_WORDS)("doesn't depend on a caller's words in an event: %s", (words) => {
    const event = { message: `Tool call validation failed: ${words}`, type: "invalid_request_error" };
    expect(classifyFailure(event)).toEqual({ kind: "provider", health: "healthy" });
    expect(classifyFailure(`Could not parse ${words}`)).toEqual({ kind: "provider", health: "healthy" });
  });

  it.each([
    [refused(401, { message: "no" }), "refused"],
    [
      refused(400, { code: 400, status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] }),
      "refused",
    ],
    [refused(403, { type: "authentication_error", message: "no" }), "refused"],
    [refused(429, { code: "insufficient_quota", message: "no" }), "refused"],
    [refused(429, { message: "You exceeded your current quota, check your plan and billing" }), "refused"],
    [refused(400, { code: "model_decommissioned", message: "gone" }), "healthy"],
    [refused(400, { message: "Invalid model name passed in model=gpt-4o" }), "healthy"],
    [refused(404, { code: "previous_response_not_found" }), "healthy"],
    [refused(400, { code: "previous_response_not_found" }), "healthy"],
    [refused(400, { type: "invalid_request_error", details: { error_code: "thread_not_found" } }), "healthy"],
  ])("is the provider's by status, code or opening: %o", (error, health) => {
    expect(classifyFailure(error)).toEqual({ kind: "provider", health });
  });

  it("doesn't count against a provider that the call never reached", () => {
    const error = new UnsupportedFunctionalityError({ functionality: "JSON Schema reference: #/$defs/a" });
    expect(classifyFailure(error)).toEqual({ kind: "provider", health: "none" });
  });

  it("is the provider's if its response is too large", () => {
    const error = new AppError("too_large", "The response from far.example is larger than 100 MB.");
    const expected = { kind: "provider", health: "unhealthy" };
    expect([error, new Error("fetch failed", { cause: error })].map(classifyFailure)).toEqual([
      expected,
      expected,
    ]);
  });

  it.each([
    { type: "overloaded_error", message: "no" },
    { code: "server_error", message: "no" },
    { code: 503, message: "no" },
    { type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "no" } } },
    "model overloaded",
    "Internal server error",
    '{"error":{"message":"The server is currently overloaded"}}',
  ])("is transient in an event: %j", (event) => {
    expect(classifyFailure(event)).toEqual({ kind: "transient", health: "unhealthy" });
  });
});
