import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { HEARTBEAT_COMMENT, HEARTBEAT_MS } from "~/platform/endpoint/endpoint.shared";

const upstream = vi.hoisted(() => ({ open: () => Promise.resolve<unknown>(undefined) }));
vi.mock(import("~/ai/models/models.service.server"), async (original) => ({
  ...(await original()),
  assertMayCall: () => undefined,
  routeCall: (() => upstream.open()) as never,
}));
vi.mock("~/ai/guardrails/guardrails.service.server", () => ({ guardCall: () => undefined }));
vi.mock("./usage-log.server", () => ({ queueUsage: () => undefined }));

const { handleCall } = await import("./calls.server");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What a caller gets of a stream whose provider fails, after this time (ms). */
async function streamFailing(protocol: "openai-chat" | "anthropic-messages", error: unknown, ms: number) {
  upstream.open = () => new Promise((_, reject) => setTimeout(() => reject(error), ms));
  const body = { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
  const answer = handleCall(protocol, {
    actor: { orgId: "org" } as never,
    requestId: "req_1",
    headers: new Headers(),
    signal: new AbortController().signal,
    raw: async () => Buffer.from(JSON.stringify(body)),
  });
  answer.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  const { content } = await answer;
  if (content.kind !== "relay") throw new Error(`A stream, not ${content.kind}`);
  const written: string[] = [];
  const last = content.relay((piece) => void written.push(Buffer.from(piece).toString()));
  await vi.advanceTimersByTimeAsync(ms);
  return { written, last: await last, headers: content.headers };
}

const failed = new AppError("provider_unavailable", "Far was lost.");

it("throws what fails before the first heartbeat", async () => {
  await expect(streamFailing("openai-chat", failed, HEARTBEAT_MS - 1)).rejects.toBe(failed);
});

it("begins with a heartbeat for a caller that has waited, and ends with the error in its protocol", async () => {
  const { written, last, headers } = await streamFailing("openai-chat", failed, 2 * HEARTBEAT_MS);
  expect([written, headers]).toEqual([[HEARTBEAT_COMMENT], {}]);
  expect(last).toMatch(/^data: \{"error":\{"message":"Far was lost\."/);
  const anthropic = await streamFailing("anthropic-messages", failed, 2 * HEARTBEAT_MS);
  expect(anthropic.written).toEqual(['event: ping\ndata: {"type":"ping"}\n\n']);
  expect(anthropic.last).toMatch(/^event: error\ndata: .*"request_id":"req_1"/);
});

it("reveals nothing of an unexpected error, and logs it", async () => {
  const logged = vi.spyOn(log, "error").mockReturnValue();
  const error = new Error("sk-secret");
  const { last } = await streamFailing("openai-chat", error, 2 * HEARTBEAT_MS);
  expect(last).toContain("Something went wrong on the server");
  expect(last).not.toContain("sk-secret");
  expect(logged).toHaveBeenCalledExactlyOnceWith("unexpected error", { error, requestId: "req_1" });
});
