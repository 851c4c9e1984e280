import { describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import { toAnthropicError, toOpenAiError } from "./protocols/errors";
import { readRefusal, withRefusal } from "./provider-reason";

const refused = (statusCode: number, body: unknown) => ({
  statusCode,
  responseBody: typeof body === "string" ? body : JSON.stringify(body),
});

const providerReason = (error: unknown) => readRefusal(error)?.reason;

describe("a provider's reason", () => {
  it.each([
    ["OpenAI's", { error: { message: "max_tokens is too large: 99." } }, "max_tokens is too large: 99."],
    ["Ollama's", { error: "model requires more memory" }, "model requires more memory"],
    ["FastAPI's", { detail: "Not\n  supported" }, "Not supported"],
    ["FastAPI's longer", { detail: [{ loc: ["body", "x"], msg: "field required" }] }, "field required"],
    ["Gemini's", [{ error: { message: "Bad part" } }], "Bad part"],
  ])("is read from %s form", (_, body, reason) => {
    expect(providerReason(refused(400, body))).toBe(reason);
  });

  it.each([
    "key sk-proj-abcdefghijklmnop is wrong",
    "Authorization: Bearer abcdefghijklmnop",
    "api_key=abcdefgh12345678",
    "see AIzaSyA1234567890abcdefghijklmnopqrstuv",
    `token ${"a1".repeat(30)}`,
  ])("holds nothing like a key: %s", (message) => {
    const reason = providerReason(refused(400, { error: { message } }));
    expect(reason).toContain("[redacted]");
    expect(reason).not.toMatch(/abcdefgh|a1a1a1|1234567890/);
  });

  it("is shown only for the caller's own errors", () => {
    for (const status of [401, 403, 429, 500]) {
      expect(providerReason(refused(status, { error: { message: "inside" } }))).toBeUndefined();
    }
    expect(providerReason(refused(400, "<html>"))).toBeUndefined();
    expect(providerReason(new Error("no response"))).toBeUndefined();
    expect(providerReason(refused(400, { error: { message: "x ".repeat(5000) } }))?.length).toBeLessThan(502);
  });

  it("follows our own sentence", () => {
    const ours = new AppError("provider_rejected", "Far refused the request.");
    const refusal = { reason: "Too long.", own: {} };
    expect(withRefusal(ours, refusal, false)).toMatchObject({
      code: "provider_rejected",
      message: "Far refused the request. Its message: Too long.",
    });
    const key = new AppError("provider_key", "Far refused the key.");
    expect(withRefusal(key, refusal, true)).toBe(key);
    expect(withRefusal(ours, undefined, true)).toBe(ours);
  });
});

describe("a refusal in the caller's own protocol", () => {
  it("says that a provider is overloaded as its clients know it, whole and within a stream", () => {
    const ours = new AppError("provider_unavailable", "Far is overloaded.", { retryAfter: 7 });
    const given = { type: "overloaded_error", message: "Overloaded" };
    for (const error of [refused(529, { type: "error", error: given }), refused(529, {}), given]) {
      const shown = toAnthropicError(withRefusal(ours, readRefusal(error), true), "r");
      expect(shown).toMatchObject({
        status: 529,
        retryAfter: 7,
        body: { error: { type: "overloaded_error", message: ours.message } },
      });
      expect(withRefusal(ours, readRefusal(error), false)).toBe(ours);
    }
    const broken = refused(500, { error: { message: "inside" } });
    expect(withRefusal(ours, readRefusal(broken), true)).toBe(ours);
  });

  it("keeps the code of an error within a stream", () => {
    const ours = new AppError("provider_rejected", "Far reported an error.");
    const given = { code: "context_length_exceeded", message: "Too long", param: "input" };
    expect(toOpenAiError(withRefusal(ours, readRefusal(given), true)).body.error).toMatchObject({
      code: "context_length_exceeded",
      param: "input",
      message: "Far reported an error. Its message: Too long",
    });
  });

  const ours = new AppError("provider_rejected", "Far refused the request.");
  const relayed = (status: number, error: object, isOwn = true) =>
    withRefusal(ours, readRefusal(refused(status, { error })), isOwn);

  it("keeps OpenAI's status, code and param", () => {
    const error = { message: "Too long.", code: "context_length_exceeded", param: "messages" };
    expect(toOpenAiError(relayed(400, error))).toMatchObject({
      status: 400,
      body: { error: { code: "context_length_exceeded", param: "messages" } },
    });
    expect(toOpenAiError(relayed(404, { code: "previous_response_not_found", param: null }))).toMatchObject({
      status: 404,
      body: { error: { code: "previous_response_not_found", param: null } },
    });
  });

  it.each([
    [413, "request_too_large"],
    [422, "invalid_request_error"],
  ])("keeps a %s with its reason in both protocols", (status, type) => {
    const error = relayed(status, { type, message: "The file is too large." });
    const message = "Far refused the request. Its message: The file is too large.";
    expect(toOpenAiError(error)).toMatchObject({ status, body: { error: { message } } });
    expect(toAnthropicError(error, "r")).toMatchObject({ status, body: { error: { type, message } } });
  });

  it("keeps Anthropic's details, by which its client recovers", () => {
    const details = { error_code: "thread_not_found", unsupported: ["a.b", "c"], retry: true };
    expect(toAnthropicError(relayed(404, { type: "not_found_error", details }), null)).toMatchObject({
      status: 404,
      body: { error: { type: "not_found_error", details } },
    });
  });

  it("leaves out what isn't short and plain", () => {
    const details = {
      error_code: "x",
      key: "sk-proj-abcdefghijklmnop",
      text: "a sentence with spaces",
      inner: { deep: 1 },
      long: "x".repeat(200),
    };
    const { body } = toAnthropicError(relayed(400, { details }), null);
    expect(body.error.details).toEqual({ error_code: "x" });
    expect(
      toOpenAiError(relayed(400, { code: "sk-proj-abcdefghijklmnop", param: "a b" })).body.error,
    ).toMatchObject({
      code: "provider_rejected",
      param: null,
    });
    expect(toOpenAiError(relayed(400, { code: 400 })).body.error.code).toBe("provider_rejected");
  });

  it("has the console's own code in a translated call", () => {
    const error = { message: "Too long.", code: "context_length_exceeded", details: { error_code: "x" } };
    expect(toOpenAiError(relayed(413, error, false))).toMatchObject({
      status: 400,
      body: { error: { code: "provider_rejected" } },
    });
  });
});
