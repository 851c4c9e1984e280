import { beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "~/core/errors";
import { readCallBody, readResponse } from "./read-body.server";

const run = vi.hoisted(() => vi.fn());
vi.mock("~/core/worker-pool.server", () => ({
  bundledWorker: (name: string) => name,
  WorkerPool: class {
    run = run;
  },
}));

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const caller = () => new AbortController().signal;
const padding = "x".repeat(500_000);
const usage = { prompt_tokens: 3, total_tokens: 3 };
const floats = { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.25, -0.5] }], usage };

beforeEach(() => {
  run.mockReset();
  run.mockRejectedValue(new AppError("unavailable", "Too much of this work is waiting already."));
});

describe("a provider's non-streaming response", () => {
  it("has its vectors converted to base64 if the provider ignored that request", async () => {
    const response = await readResponse("openai-embeddings", bytesOf(floats), true, caller());
    expect(response).toMatchObject({ kind: "response", usage: { inputTokens: 3, outputTokens: 0 } });
    if (response.kind !== "response") return;
    const embedding = Buffer.from(new Float32Array([0.25, -0.5]).buffer).toString("base64");
    expect(JSON.parse(Buffer.from(response.body).toString())).toEqual({
      ...floats,
      data: [{ ...floats.data[0], embedding }],
    });
  });

  it.each([
    ["the caller requested numbers", bytesOf(floats), false],
    ["the vectors are already base64", bytesOf({ data: [{ embedding: "AACAPg==" }], usage }), true],
    ["the vectors aren't numbers", bytesOf({ data: [{ embedding: ["x"] }], usage }), true],
  ])("is passed on unchanged if %s", async (_, bytes, inBase64) => {
    expect(await readResponse("openai-embeddings", bytes, inBase64, caller())).toMatchObject({ body: bytes });
  });

  it.each([
    ["of a chat", "openai-chat", { choices: [{ message: { content: padding } }], usage }, false],
    ["of vectors in base64", "openai-embeddings", { data: [{ embedding: padding }], usage }, true],
  ] as const)(
    "%s is passed on unread if it is large and the thread is busy",
    async (_, protocol, value, inBase64) => {
      const bytes = bytesOf(value);
      const response = await readResponse(protocol, bytes, inBase64, caller());
      expect(response).toMatchObject({ kind: "response", usage: {} });
      // Compared by identity: half a megabyte takes seconds byte by byte.
      expect(response.kind === "response" && response.body === bytes).toBe(true);
    },
  );

  it("isn't passed on unread if its vectors need a conversion", async () => {
    const bytes = bytesOf({ ...floats, padding });
    await expect(readResponse("openai-embeddings", bytes, true, caller())).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("isn't sent to a disconnected caller", async () => {
    const gone = new AbortController();
    gone.abort(new AppError("cancelled", "The client closed the connection."));
    run.mockRejectedValue(gone.signal.reason);
    await expect(readResponse("openai-chat", bytesOf({ padding }), false, gone.signal)).rejects.toMatchObject(
      {
        code: "cancelled",
      },
    );
  });
});

describe("a call's body", () => {
  const call = (content: unknown) => bytesOf({ model: "m", messages: [{ role: "user", content }] });
  const parts = (count: number) => Array.from({ length: count }, () => ({ type: "text", text: "" }));

  it.each([
    ["200 KB of text", call("x,".repeat(100_000))],
    ["900 parts", call(parts(900))],
  ])("is read in the main thread with %s", async (_, bytes) => {
    expect((await readCallBody("openai-chat", bytes, caller())).envelope.model).toBe("m");
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ["4,500 parts", call(parts(4500))],
    ["500 KB of text", call(padding)],
  ])("is read in a worker with %s", async (_, bytes) => {
    await expect(readCallBody("openai-chat", bytes, caller())).rejects.toMatchObject({ code: "unavailable" });
    expect(run).toHaveBeenCalledOnce();
  });
});
