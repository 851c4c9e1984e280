import { describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import { appendReason, providerReason } from "./provider-reason";

const refused = (statusCode: number, body: unknown) => ({
  statusCode,
  responseBody: typeof body === "string" ? body : JSON.stringify(body),
});

describe("a provider's reason", () => {
  it.each([
    ["OpenAI's", { error: { message: "max_tokens is too large: 99." } }, "max_tokens is too large: 99."],
    ["Ollama's", { error: "model requires more memory" }, "model requires more memory"],
    ["FastAPI's", { detail: "Not\n  supported" }, "Not supported"],
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
    expect(appendReason(ours, "Too long.")).toMatchObject({
      code: "provider_rejected",
      message: "Far refused the request. Its message: Too long.",
    });
    const key = new AppError("provider_key", "Far refused the key.");
    expect(appendReason(key, "sk-123")).toBe(key);
    expect(appendReason(ours, undefined)).toBe(ours);
  });
});
