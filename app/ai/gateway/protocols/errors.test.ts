import { describe, expect, it, vi } from "vitest";
import { asAppError } from "~/core/as-app-error.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { responsesErrors, toAnthropicError, toOpenAiError } from "./errors";

describe("a refusal in the callers' protocols", () => {
  it("names the field to an OpenAI client", () => {
    const error = new AppError("invalid", "n: Only 1.", { fields: { n: ["Only 1."] } });
    expect(toOpenAiError(error)).toEqual({
      status: 400,
      body: { error: { message: "n: Only 1.", type: "invalid_request_error", param: "n", code: null } },
    });
  });

  it("is one that clients retry only if a retry can help", () => {
    const isRetried = ({ status, headers }: ReturnType<typeof toOpenAiError>) =>
      headers?.["x-should-retry"] !== "false" && ([408, 409, 429].includes(status) || status >= 500);
    for (const code of [
      "invalid",
      "provider_model",
      "provider_missing",
      "forbidden",
      "provider_rejected",
      "provider_key",
      "provider_quota",
    ] as const) {
      expect(isRetried(toOpenAiError(new AppError(code, "No."))), code).toBe(false);
    }
    for (const code of ["rate_limited", "provider_unavailable", "provider_timeout", "unavailable"] as const) {
      expect(isRetried(toOpenAiError(new AppError(code, "No."))), code).toBe(true);
    }
  });

  it("says which model isn't known", () => {
    const error = new AppError("provider_model", 'No provider serves "gpt-9".');
    expect(toOpenAiError(error).body.error).toMatchObject({ code: "model_not_found", param: "model" });
    expect(toAnthropicError(error, "req-1")).toMatchObject({
      status: 404,
      body: {
        type: "error",
        error: { type: "not_found_error", message: error.message },
        request_id: "req-1",
      },
    });
  });

  it("ends a stream of responses with the failed response, then with an error", () => {
    const error = new AppError("provider_unavailable", "Far was lost.");
    const response = { id: "resp_1", status: "in_progress", output: [{ type: "message" }] };
    const frames = responsesErrors.frame(error, "req_1", { response, sequence: 7 });
    const events = frames.match(/(?<=^data: ).*$/gm)?.map((data): unknown => JSON.parse(data));
    const details = { code: "provider_unavailable", message: "Far was lost." };
    expect(events).toEqual([
      {
        type: "response.failed",
        sequence_number: 8,
        response: { ...response, object: "response", status: "failed", error: details },
      },
      {
        type: "error",
        sequence_number: 9,
        ...details,
        param: null,
        error: { type: "server_error", ...details, param: null },
      },
    ]);
    expect(frames).toMatch(/^event: response\.failed\n[^\n]+\n\nevent: error\n[^\n]+\n\n$/);
    expect(responsesErrors.frame(error, "req_1", {})).toContain('"id":"req_1"');
  });

  it("passes on Retry-After", () => {
    const error = new AppError("rate_limited", "Slow down.", { retryAfter: 7 });
    expect(toAnthropicError(error, null)).toMatchObject({ status: 429, retryAfter: 7 });
  });

  it("reveals nothing about unexpected errors", () => {
    const logged = vi.spyOn(log, "error").mockReturnValue();
    const { status, body } = toOpenAiError(asAppError(new Error("secret sk-123")));
    expect([status, logged.mock.calls.length]).toEqual([500, 1]);
    logged.mockRestore();
    expect(JSON.stringify(body)).not.toContain("sk-123");
  });
});
