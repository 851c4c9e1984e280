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

describe("a provider's response in one piece", () => {
  it("has its vectors as base64 where the caller wants that and the provider didn't listen", async () => {
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
    ["numbers are wanted", bytesOf(floats), false],
    ["they are base64 already", bytesOf({ data: [{ embedding: "AACAPg==" }], usage }), true],
    ["they are no numbers", bytesOf({ data: [{ embedding: ["x"] }], usage }), true],
  ])("keeps every byte where %s", async (_, bytes, inBase64) => {
    expect(await readResponse("openai-embeddings", bytes, inBase64, caller())).toMatchObject({ body: bytes });
  });

  it.each([
    ["of a chat", "openai-chat", { choices: [{ message: { content: padding } }], usage }, false],
    ["of vectors in base64", "openai-embeddings", { data: [{ embedding: padding }], usage }, true],
  ] as const)(
    "%s that is large is passed on when nobody has time to read it",
    async (_, protocol, value, inBase64) => {
      const bytes = bytesOf(value);
      const response = await readResponse(protocol, bytes, inBase64, caller());
      expect(response).toMatchObject({ kind: "response", usage: {} });
      // Compared by identity: half a megabyte takes seconds byte by byte.
      expect(response.kind === "response" && response.body === bytes).toBe(true);
    },
  );

  it("isn't passed on where its vectors would be misread", async () => {
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
    ["much text", call("x,".repeat(100_000))],
    ["a few parts", call(parts(900))],
  ])("is read at once with %s", async (_, bytes) => {
    expect((await readCallBody("openai-chat", bytes, caller())).envelope.model).toBe("m");
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ["many parts", call(parts(4500))],
    ["very much text", call(padding)],
  ])("is read in the thread with %s", async (_, bytes) => {
    await expect(readCallBody("openai-chat", bytes, caller())).rejects.toMatchObject({ code: "unavailable" });
    expect(run).toHaveBeenCalledOnce();
  });
});
