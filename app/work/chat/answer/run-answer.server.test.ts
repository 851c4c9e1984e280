import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { UNKNOWN_USAGE } from "~/ai/models/language-model";
import type { ResolvedModel, RouteTarget } from "~/ai/models/models.service.server";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { Tool } from "~/ai/tools/tool.shared";
import { listTools, registerToolSource } from "~/ai/tools/tools.service.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona } from "~/work/personas/personas.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { textOf } from "../answer-state.shared";
import { ActiveGeneration, EventBuffer } from "./active-generation.server";
import { type AnswerPlan, runAnswer } from "./run-answer.server";

const usage = {
  inputTokens: { total: 10, noCache: undefined, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: undefined, reasoning: undefined },
};
const finish = (unified: "stop" | "length" | "tool-calls" = "stop"): LanguageModelV3StreamPart => ({
  type: "finish",
  usage,
  finishReason: { unified, raw: undefined },
});
const says = (...deltas: string[]): LanguageModelV3StreamPart[] => [
  { type: "text-start", id: "0" },
  ...deltas.map((delta): LanguageModelV3StreamPart => ({ type: "text-delta", id: "0", delta })),
  { type: "text-end", id: "0" },
];
const calls = (toolName: string, input: string, toolCallId = "c1"): LanguageModelV3StreamPart => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});

/** Mock server: each call to the model plays the next script. An entry that is a function may wait or throw. */
type Script = (LanguageModelV3StreamPart | ((options: LanguageModelV3CallOptions) => Promise<void>))[];

function scripted(...scripts: Script[]) {
  const seen: LanguageModelV3CallOptions[] = [];
  const open = async (options: LanguageModelV3CallOptions) => {
    seen.push(options);
    const script = scripts[Math.min(seen.length, scripts.length) - 1] ?? [];
    const rest = [...script];
    const read = async (): Promise<LanguageModelV3StreamPart | undefined> => {
      const entry = rest.shift();
      if (typeof entry !== "function") return entry;
      await entry(options);
      return read();
    };
    return { target: FAR, stream: { read, cancel: () => {} }, usage: () => UNKNOWN_USAGE };
  };
  return { open, seen };
}

const FAR: RouteTarget = {
  providerId: "prv",
  providerType: "custom",
  displayName: "Far",
  origin: "https://far.example",
  modelId: "m",
  requestedModel: "m",
  pricing: null,
  writtenBy: "prv/m",
  wire: {},
  cutsPrompts: false,
  thinkingRoom: () => 0,
  silence: () => ({ firstByteMs: 0, betweenBytesMs: 0 }),
  send: () => Promise.reject(new Error("not called")),
  forward: () => Promise.reject(new Error("not called")),
  ignoredSettings: () => Promise.reject(new Error("not called")),
  languageModel: () => {
    throw new Error("not called");
  },
};

const Key = z.object({ key: z.string() });
const tool = (change: Partial<Tool<typeof Key>> = {}) =>
  ({
    name: "test.read",
    title: "Read a value",
    description: "Reads",
    effect: "reads",
    input: Key,
    timeoutMs: 200,
    outputLimit: 1000,
    run: async ({ key }) => ({ got: key }),
    ...change,
  }) satisfies Tool<typeof Key>;

describe("an answer being written", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let live: ActiveGeneration;
  let chunks: StreamChunk[];
  let removeTools = () => {};
  beforeEach(() => {
    test = openTestDatabase();
    // Events of a message that isn't stored would break its foreign key: the buffer here writes nothing.
    const eventBuffer = new EventBuffer();
    vi.spyOn(eventBuffer, "add").mockImplementation(() => undefined);
    live = new ActiveGeneration("con_1", "msg_1", test.actors.member, 40, eventBuffer);
    chunks = [];
    live.listen((event) => event && chunks.push(event.chunk));
  });
  afterEach(() => {
    removeTools();
    test.close();
  });

  /** @param tools what the person chose, from a source of the test's own */
  function plan(
    far: ReturnType<typeof scripted>,
    { tools = [tool()], ...change }: Partial<Omit<AnswerPlan, "tools">> & { tools?: Tool[] } = {},
  ): AnswerPlan {
    removeTools = registerToolSource({ list: () => tools });
    return {
      model: { modelId: "m", open: far.open },
      prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      tools: listTools(test.actors.member).filter(({ name }) => /^(?:test|mcp-lab)\./.test(name)),
      maxSteps: 5,
      source: "chat",
      ...change,
    };
  }

  it("streams text, counts tokens and adds up the cost", async () => {
    const far = scripted([...says("Hel", "lo."), finish()]);
    const { metrics, calls: made } = await runAnswer(plan(far), live, () => 7);
    expect(textOf(live.state.parts)).toBe("Hello.");
    expect(live.state.status).toBe("complete");
    expect(metrics).toMatchObject({
      inputTokens: 10,
      outputTokens: 5,
      costMicros: 7,
      steps: 1,
      provider: "Far",
    });
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ inputTokens: 10, cacheReadTokens: 4, cacheWriteTokens: null });
    expect(live.lastEventId).toBe(40 + chunks.length);
  });

  it("names its persona at its start", async () => {
    const given = { name: "Lead", defaultModel: OFFLINE_MODEL };
    const { id: personaId } = createPersona(test.actors.member, PersonaInput.parse(given));
    await runAnswer(plan(scripted([...says("Hello."), finish()]), { personaId }), live, () => null);
    expect(chunks[0]).toMatchObject({ type: "start", messageMetadata: { model: "m", persona: "Lead" } });
  });

  it("of a temporary chat never runs a tool that would ask", async () => {
    const run = vi.fn(async () => ({ got: "a" }));
    const far = scripted(
      [calls("test__read", '{"key":"a"}'), finish("tool-calls")],
      [...says("No."), finish()],
    );
    const tools = [tool({ effect: "writes", run })];
    await runAnswer(plan(far, { source: "temporary", tools }), live, () => null);
    expect(run).not.toHaveBeenCalled();
    expect(live.state.parts.find((part) => part.type === "tool")).toMatchObject({
      state: "failed",
      error: expect.stringContaining("needs approval, which isn't possible here"),
    });
    expect(live.state.status).toBe("complete");
  });

  it("finds tools of MCP servers by a search where they are many, and calls one by its own name", async () => {
    const tools = Array.from({ length: 60 }, (_, at) => tool({ name: `mcp-lab.read_${at}` }));
    const far = scripted(
      [calls("tools__find", '{"query":"read_7"}'), finish("tool-calls")],
      [calls("mcp-lab__read_7", '{"key":"a"}', "c2"), finish("tool-calls")],
      [...says("Got it."), finish()],
    );
    await runAnswer(plan(far, { tools }), live, () => null);
    const offered = far.seen.map((call) => call.tools?.map(({ name }) => name) ?? []);
    expect(offered[0]).toEqual(["tools__find"]);
    expect(offered[1]).toContain("mcp-lab__read_7");
    expect(offered[1]?.length).toBeLessThan(12);
    expect(live.state.parts.filter((part) => part.type === "tool")).toMatchObject([
      { toolName: "tools.find", state: "done" },
      { toolName: "mcp-lab.read_7", state: "done", output: { got: "a" } },
    ]);
  });

  it("runs a tool by its own name and gives the model its result", async () => {
    const far = scripted(
      [...says("Looking."), calls("test__read", '{"key":"a"}'), finish("tool-calls")],
      [...says("Got it."), finish()],
    );
    const { metrics } = await runAnswer(plan(far), live, () => null);
    expect(far.seen[0]?.tools?.[0]).toMatchObject({ name: "test__read", inputSchema: { required: ["key"] } });
    expect(far.seen[1]?.prompt.at(-1)).toMatchObject({
      role: "tool",
      content: [{ toolName: "test__read", output: { type: "json", value: { got: "a" } } }],
    });
    expect(live.state.parts.find((part) => part.type === "tool")).toMatchObject({
      toolName: "test.read",
      state: "done",
      output: { got: "a" },
    });
    expect(metrics).toMatchObject({ steps: 2, inputTokens: 20, costMicros: null });
  });

  it.each([
    ["m", Number.POSITIVE_INFINITY],
    [OFFLINE_MODEL, undefined],
  ])("tells a tool the context of %s, the model that reads its result", async (modelId, expected) => {
    const far = scripted(
      [calls("test__read", '{"key":"a"}'), finish("tool-calls")],
      [...says("It."), finish()],
    );
    const run = vi.fn<Tool<typeof Key>["run"]>(async () => ({ got: 1 }));
    await runAnswer(plan(far, { tools: [tool({ run })], model: { modelId, open: far.open } }), live, () => 0);
    expect(run.mock.calls[0]?.[1].modelContext).toBe(expected);
  });

  it("refuses tools that share after a call returned a restricted document", async () => {
    const finds = tool({ name: "test.find", run: async () => ({ url: "/rag/doc_hidden?from=0" }) });
    const stored: string[] = [];
    const stores = tool({ name: "test.store", effect: "writes", run: async ({ key }) => stored.push(key) });
    const far = scripted(
      [
        calls("test__store", '{"key":"before"}', "c1"),
        calls("test__find", '{"key":"plan"}', "c2"),
        // Written before the passage was read.
        calls("test__store", '{"key":"beside"}', "c3"),
        finish("tool-calls"),
      ],
      [calls("test__store", '{"key":"after"}', "c4"), finish("tool-calls")],
      [...says("Done."), finish()],
    );
    await runAnswer(plan(far, { tools: [finds, stores] }), live, () => 0);
    expect(stored).toEqual(["before", "beside"]);
    expect(JSON.stringify(far.seen[2]?.prompt.at(-1))).toContain(
      "Not run: this conversation contains passages",
    );
  });

  it("refuses tools that share after a restricted document was summarized", async () => {
    const run = vi.fn(async () => null);
    const far = scripted(
      [calls("test__store", '{"key":"a"}'), finish("tool-calls")],
      [...says("No."), finish()],
    );
    const tools = [tool({ name: "test.store", effect: "writes", run })];
    const shorten = async () => ({ prompt: [], summarized: ["doc_hidden"] });
    await runAnswer(plan(far, { tools, shorten }), live, () => 0);
    expect(far.seen).toHaveLength(2);
    expect(run).not.toHaveBeenCalled();
  });

  it("goes on with the prompt that it has if a shorter one can't be made", async () => {
    const far = scripted([...says("Yes."), finish()]);
    const shorten = () => Promise.reject(new Error("A file can't be read."));
    await runAnswer(plan(far, { shorten }), live, () => 0);
    expect(live.state).toMatchObject({ status: "complete" });
    expect(textOf(live.state.parts)).toBe("Yes.");
  });

  it("reports that the model reached its output limit", async () => {
    const far = scripted([...says("The first half"), finish("length")]);
    const { metrics } = await runAnswer(plan(far), live, () => 0);
    expect(metrics).toMatchObject({ lengthReached: true });
  });

  it("ends at Max Steps and says so", async () => {
    const far = scripted([calls("test__read", '{"key":"a"}'), finish("tool-calls")]);
    const { metrics } = await runAnswer(plan(far, { maxSteps: 3 }), live, () => 0);
    expect(far.seen).toHaveLength(3);
    expect(metrics).toMatchObject({ steps: 3, stepsExhausted: true });
  });

  it.each([
    ["input that is no JSON", "test__read", '{"key"', "not valid JSON"],
    ["input that doesn't fit", "test__read", '{"key":1}', "key:"],
    ["a tool that isn't offered", "test__drop", "{}", 'The tool "test.drop" isn'],
    ["a name that no tool has", "rm_rf", "{}", 'The tool "rm_rf" isn'],
  ])("reports %s to the model, and continues", async (_, name, input, message) => {
    const far = scripted([calls(name, input), finish("tool-calls")], [...says("Sorry."), finish()]);
    await runAnswer(plan(far), live, () => 0);
    const result = JSON.stringify(far.seen[1]?.prompt.at(-1));
    expect(result).toContain("error-text");
    expect(result).toContain(message.replaceAll('"', '\\"'));
    expect(live.state.status).toBe("complete");
  });

  it("stops a tool that ignores its time limit", async () => {
    const slow = tool({ timeoutMs: 20, run: () => new Promise(() => {}) });
    const far = scripted(
      [calls("test__read", '{"key":"a"}'), finish("tool-calls")],
      [...says("Too slow."), finish()],
    );
    await runAnswer(plan(far, { tools: [slow] }), live, () => 0);
    expect(live.state.parts.find((part) => part.type === "tool")).toMatchObject({
      state: "failed",
      error: expect.stringContaining("longer than"),
    });
  });

  it("keeps the text when the provider fails in the middle", async () => {
    const far = scripted([
      ...says("Half an").slice(0, 2),
      async () => {
        throw new Error("socket hang up");
      },
    ]);
    const { calls: made } = await runAnswer(plan(far), live, () => 0);
    expect(textOf(live.state.parts)).toBe("Half an");
    expect(live.state.status).toBe("failed");
    expect(live.state.error).toBeTruthy();
    expect(made[0]).toMatchObject({ outcome: "error", errorCode: expect.any(String), inputTokens: null });
  });

  it("aborts the provider's call when stopped, and keeps the text", async () => {
    const aborted = vi.fn();
    const far = scripted([
      ...says("So far").slice(0, 2),
      ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal?.addEventListener("abort", () => {
            aborted();
            reject(new Error("aborted"));
          });
        }),
    ]);
    const running = runAnswer(plan(far), live, () => 0);
    await expect.poll(() => textOf(live.state.parts)).toBe("So far");
    live.stop("stopped");
    const { calls: made } = await running;
    expect(aborted).toHaveBeenCalledOnce();
    expect(live.state.status).toBe("stopped");
    expect(textOf(live.state.parts)).toBe("So far");
    expect(made[0]?.outcome).toBe("stopped");
  });

  it("stops at the time limit of 30 minutes and says so", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const far = scripted([
      ...says("So far").slice(0, 2),
      ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal?.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    ]);
    try {
      const running = runAnswer(plan(far), live, () => 0);
      await vi.advanceTimersByTimeAsync(30 * 60_000 - 1);
      expect(live.state.status).toBe("streaming");
      await vi.advanceTimersByTimeAsync(1);
      const { metrics } = await running;
      expect(metrics).toMatchObject({ timeLimitReached: true });
      expect(live.state.status).toBe("stopped");
      expect(textOf(live.state.parts)).toBe("So far");
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [{ provider: "Far", before: 2 }, "Waiting for 2 other calls at Far…"],
    [{ provider: "Far", before: 0 }, "Waiting for its turn at Far…"],
    [{ provider: "Far", isLoading: false }, "Waiting for Far to answer…"],
    [{ provider: "Far", isLoading: true }, "Waiting for Far, which loads the model first…"],
  ])("says what it waits for after ten seconds: %j", async (wait, text) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const far = scripted([...says("Here."), finish()]);
    let answer = () => {};
    const answers = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const model: ResolvedModel = {
      modelId: "m",
      async open(call, _, hooks) {
        hooks?.onWait?.(wait);
        await answers;
        return far.open(call);
      },
    };
    try {
      const running = runAnswer(plan(far, { model }), live, () => 0);
      await vi.advanceTimersByTimeAsync(9900);
      expect(live.state).not.toHaveProperty("waiting");
      await vi.advanceTimersByTimeAsync(200);
      expect(live.state.waiting).toBe(text);
      answer();
      await running;
      expect(live.state).not.toHaveProperty("waiting");
      expect(live.state.status).toBe("complete");
    } finally {
      vi.useRealTimers();
    }
  });

  it("counts a model's call once, whatever fails after it", async () => {
    const far = scripted([...says("Here."), finish()]);
    const emit = live.emit.bind(live);
    vi.spyOn(live, "emit").mockImplementation((chunk) => {
      if (chunk.type === "finish-step") throw new Error("the disk broke");
      emit(chunk);
    });
    const { calls: made } = await runAnswer(plan(far), live, () => 0);
    expect(made.map(({ outcome }) => outcome)).toEqual(["ok"]);
    expect(live.state.status).toBe("failed");
  });

  it("cuts off a provider that never ends", async () => {
    const endless = Array.from(
      { length: 30 },
      (): LanguageModelV3StreamPart => ({ type: "text-delta", id: "0", delta: "x".repeat(100_000) }),
    );
    await runAnswer(plan(scripted([{ type: "text-start", id: "0" }, ...endless, finish()])), live, () => 0);
    expect(live.state).toMatchObject({ status: "failed", error: expect.stringContaining("2 million") });
  });
});
