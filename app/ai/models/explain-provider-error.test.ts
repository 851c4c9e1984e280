import { APICallError, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { anthropicErrors, openAiErrors, responsesErrors } from "~/ai/gateway/protocols/errors";
import { AppError } from "~/core/errors";
import { explainProviderError } from "./explain-provider-error.server";
import {
  MalformedResponse,
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderHttpError,
  ProviderTimeout,
  ProviderUnreachable,
} from "./provider-errors.server";
import { classifyFailure } from "./router/classify-failure.server";

const target = { provider: "Lab", model: "gpt-4o" };
const refused = (statusCode: number, responseBody: string, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: `secret-in-message ${responseBody}`,
    url: "https://lab.example/v1?key=secret-in-url",
    requestBodyValues: { prompt: "secret-in-prompt" },
    statusCode,
    responseBody,
    responseHeaders,
  });
const body = (error: Record<string, unknown>) =>
  JSON.stringify({ error: { message: "secret-in-body", ...error } });

describe("explainProviderError", () => {
  it.each([
    [
      "provider_key",
      /rejected the key .*have an admin check the key reference/,
      refused(401, body({ code: "invalid_api_key" })),
    ],
    [
      "provider_key",
      /rejected the key/,
      refused(400, body({ message: "API key not valid. Please pass a valid API key." })),
    ],
    ["provider_key", /lacks permission/, refused(403, body({}))],
    ["provider_model", /doesn't offer the model "gpt-4o"/, refused(404, body({ code: "model_not_found" }))],
    ["provider_model", /doesn't offer/, refused(404, body({ type: "not_found_error" }))],
    ["provider_model", /doesn't offer/, refused(400, body({ message: "The model `gpt-4o` does not exist" }))],
    ["provider_unavailable", /returned "not found"/, refused(404, "404 page not found")],
    ["provider_quota", /quota at Lab is used up/, refused(429, body({ code: "insufficient_quota" }))],
    ["provider_quota", /used up/, refused(400, body({ message: "Your credit balance is too low" }))],
    ["provider_quota", /used up/, refused(402, "")],
    [
      "rate_limited",
      /rate limit/,
      refused(429, body({ code: "rate_limit_exceeded" }), { "retry-after": "12" }),
    ],
    ["provider_rejected", /too long/, refused(400, body({ code: "context_length_exceeded" }))],
    [
      "provider_rejected",
      /too long/,
      refused(400, body({ message: "prompt is too long: 201000 tokens > 200000" })),
    ],
    [
      "provider_rejected",
      /rejected the request.*HTTP 400/,
      refused(400, body({ code: "unsupported_parameter" })),
    ],
    ["provider_unavailable", /returned an error .HTTP 503/, refused(503, "<html>")],
    ["provider_unavailable", /is overloaded/, refused(529, body({ type: "overloaded_error" }))],
    [
      "provider_unavailable",
      /is overloaded/,
      refused(503, body({ message: "The model is overloaded. Please try again later." })),
    ],
    ["rate_limited", /Try again in 12 s\./, refused(429, body({}), { "retry-after": "12" })],
    [
      "rate_limited",
      /Try again in 6 minutes\./,
      refused(
        429,
        body({ message: "Rate limit reached for m. Please try again in 5m30.2s.", code: "rate_limit" }),
      ),
    ],
    [
      "rate_limited",
      /Try again in 34 s\./,
      refused(
        429,
        body({
          message: "You exceeded your current quota, please check your plan and billing details.",
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "33.6s" }],
        }),
      ),
    ],
    [
      "provider_rejected",
      /content filter of Lab refused/,
      refused(400, body({ code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } })),
    ],
    [
      "provider_rejected",
      /content filter/,
      refused(
        403,
        body({ code: 403, message: "Your chosen model requires moderation and your input was flagged" }),
      ),
    ],
    ["provider_rejected", /content filter/, refused(400, body({ message: "Content Exists Risk" }))],
    [
      "provider_model",
      /in this server's region/,
      refused(403, body({ code: "unsupported_country_region_territory" })),
    ],
    [
      "provider_model",
      /region/,
      refused(400, body({ message: "User location is not supported for the API use." })),
    ],
    [
      "provider_key",
      /lacks permission/,
      refused(401, body({ message: "You have insufficient permissions for this operation." })),
    ],
    [
      "provider_rejected",
      /too long/,
      refused(400, body({ message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model" })),
    ],
    [
      "provider_unavailable",
      /HTTP 503/,
      refused(503, body({ message: "The model gpt-4o is currently not available" })),
    ],
    ["provider_unavailable", /is still loading/, refused(503, body({ message: "Loading model" }))],
    ["provider_timeout", /too long to answer/, refused(504, "")],
    ["provider_unavailable", /is overloaded/, { type: "overloaded_error", message: "secret-in-body" }],
    ["provider_rejected", /while answering/, { type: "error", message: "secret-in-body" }],
    ["provider_timeout", /stopped sending/, new ProviderTimeout(30_000)],
    ["provider_timeout", /within 10 min, only thoughts/, new ProviderTimeout(600_000, true, true)],
    ["provider_unavailable", /web page instead of data/, new ProviderHtmlResponse()],
    [
      "provider_unavailable",
      /was lost before/,
      new ProviderDisconnected(new AppError("provider_unavailable", "x")),
    ],
    [
      "provider_unavailable",
      /couldn't be reached/,
      new ProviderUnreachable(new TypeError("secret-in-cause")),
    ],
    ...(
      [
        ["ENOTFOUND", /couldn't be reached.*: its host name can't be resolved\./],
        ["DEPTH_ZERO_SELF_SIGNED_CERT", /couldn't be reached.*: its certificate is self-signed\./],
        ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /couldn't be reached.*: its certificate isn't trusted\./],
        ["ERR_SSL_WRONG_VERSION_NUMBER", /couldn't be reached.*: it sent an invalid HTTPS response\./],
      ] as const
    ).map(([errorCode, sentence]): [string, RegExp, unknown] => {
      const cause = Object.assign(new Error("secret-in-cause"), { code: errorCode });
      return ["provider_unavailable", sentence, new ProviderUnreachable(cause)];
    }),
    [
      "provider_unavailable",
      /sent too much data/,
      new AppError("too_large", "far.example sent secret-in-it"),
    ],
    [
      "provider_unavailable",
      /an invalid response/,
      new MalformedResponse(new SyntaxError("secret-in-cause")),
    ],
    ["provider_key", /rejected the key/, new ProviderHttpError(401, body({}), new Headers())],
    ["provider_unavailable", /couldn't answer/, new Error("secret-in-message")],
  ])("says %s with %s", (code, sentence, error) => {
    const explained = explainProviderError(error, target);
    expect(explained.code).toBe(code);
    expect(explained.message).toMatch(sentence);
    expect(explained.message).toContain("Lab");
    expect(explained.message).toContain('"gpt-4o"');
    expect(`${explained.message} ${explained.stack} ${(explained.cause as Error).message}`).not.toContain(
      "secret-in",
    );
  });

  it.each([
    ["Invalid schema for function 'get_billing_info': not an object.", 400],
    ["Invalid schema for function 'report_invalid_api_key': not an object.", 400],
    ["'authentication_error' is not one of ['a', 'permission_denied']", 422],
    ["the model could not read file 'file_1': not found", 400],
    ["The model 'web_search' is not supported with tool use", 400],
    ["Tool 'read_context_window' has a bad schema: too many tokens", 400],
  ])("isn't misled by the caller's words: %s", (message, status) => {
    const explained = explainProviderError(refused(status, body({ message })), target);
    expect(explained).toMatchObject({
      code: "provider_rejected",
      message: `Lab rejected the request for "gpt-4o" (HTTP ${status}).`,
    });
  });

  it.each([
    { code: "previous_response_not_found", type: "invalid_request_error" },
    { type: "not_found_error", details: { error_code: "thread_not_found" } },
    { type: "invalid_request_error", code: null, param: "input" },
  ])("doesn't blame the model for another thing that wasn't found: %j", (error) => {
    expect(explainProviderError(refused(404, body(error)), target).code).toBe("provider_rejected");
  });

  it("takes no time from words that a caller may have written, or of another failure than a limit", () => {
    const retryAfter = (status: number, message: string) =>
      explainProviderError(refused(status, body({ message })), target).retryAfter;
    expect(retryAfter(429, "Rate limit reached. Please try again in 2m.")).toBe(120);
    expect(retryAfter(429, "Prompt 'please try again in 999h' came too often")).toBeUndefined();
    expect(retryAfter(500, "Rate limit reached. Please try again in 2m.")).toBeUndefined();
  });

  it("names what the provider's API can't express", () => {
    const error = new UnsupportedFunctionalityError({ functionality: "JSON Schema reference: #/$defs/a" });
    const { code, message } = explainProviderError(error, target);
    expect(code).toBe("provider_rejected");
    expect(message).toContain('part of the request for "gpt-4o": JSON Schema reference: #/$defs/a. Leave it');
  });

  it.each([
    ["chat", /^The text .* start a new conversation/, /refused this conversation .* Ask in other words/],
    ["embedding", /^The text .* Send shorter texts or fewer at once/, /refused this request/],
    ["rerank", /^The text .* Send shorter texts or fewer at once/, /refused this request/],
    ["image", /^The request .* Shorten the description/, /refused this request/],
    ["transcription", /^The recording .* Send it in parts/, /refused this request/],
    ["speech", /^The text .* Send it in parts/, /refused this request/],
  ] as const)("says what helps a call of kind %s", (kind, tooLong, filtered) => {
    const explained = (status: number, code: string) =>
      explainProviderError(refused(status, body({ code })), { ...target, kind }).message;
    expect(explained(400, "context_length_exceeded")).toMatch(tooLong);
    expect(explained(413, "request_too_large")).toMatch(tooLong);
    expect(explained(400, "content_filter")).toMatch(filtered);
  });

  it("marks what a content filter refused, which would be refused again", () => {
    const refuses = (status: number, code: string) =>
      explainProviderError(refused(status, body({ code })), target).refuses;
    expect([refuses(400, "content_filter"), refuses(400, "other"), refuses(503, "overloaded")]).toEqual([
      "request",
      undefined,
      undefined,
    ]);
  });

  it("passes on when another try makes sense", () => {
    expect(explainProviderError(refused(429, "{}", { "retry-after": "12" }), target).retryAfter).toBe(12);
  });

  it("keeps explained errors, also wrapped by the SDK", () => {
    const guard = new AppError("egress_refused", "Not there.");
    const wrapped = new APICallError({ message: "x", url: "x", requestBodyValues: {}, cause: guard });
    expect(explainProviderError(wrapped, target)).toBe(guard);
    const once = explainProviderError(refused(401, ""), target);
    expect(explainProviderError(once, target)).toBe(once);
  });

  it("says that the disk is full, also in a stream's last frame, and blames no provider", () => {
    const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    const explained = explainProviderError(new Error("Failed query", { cause: full }), target);
    expect([explained.code, explained.message]).toEqual([
      "disk_full",
      expect.stringMatching(/^The disk is full/),
    ]);
    for (const { frame } of [openAiErrors, responsesErrors, anthropicErrors])
      expect(frame(explained, "req_1", {})).toContain(JSON.stringify(explained.message));
    expect(classifyFailure(full)).toEqual({ kind: "caller", health: "none" });
  });

  it("reports an abort", () => {
    expect(explainProviderError(new DOMException("x", "AbortError"), target).code).toBe("cancelled");
  });
});
