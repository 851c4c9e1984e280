import { expect, it } from "vitest";
import { type ChatModelPart, type ChatModelResult, UNKNOWN_USAGE } from "./language-model";
import { packStep, StepStateCollector, unpackStep, withKeptStep } from "./step-state";

const SIGNED = { anthropic: { signature: "S1", cached: "for reading alone" } };
const finishReason = { unified: "stop", raw: "end" } as const;

function collect(...parts: ChatModelPart[]): StepStateCollector {
  const collector = new StepStateCollector();
  for (const part of parts) collector.take(part);
  return collector;
}
const thought = (delta: string, providerMetadata = {}): ChatModelPart[] => [
  { type: "reasoning-start", id: "0" },
  { type: "reasoning-delta", id: "0", delta },
  { type: "reasoning-end", id: "0", providerMetadata },
];
const CALL = { type: "tool-call", toolCallId: "c1", toolName: "t", input: "{}" } as const;

it("keeps what is returned of each part, by its position", () => {
  const state = collect(...thought("One."), ...thought("Two.", SIGNED), CALL).state(2, "p/m");
  expect(state).toEqual({ step: 2, writtenBy: "p/m", parts: { 1: { anthropic: { signature: "S1" } } } });
});

it("keeps nothing of a step without thoughts and signatures, and for programs nothing unsigned", () => {
  expect(collect(CALL).state(1, "p/m")).toBeUndefined();
  const named = collect({ ...CALL, providerMetadata: { openai: { itemId: "fc_1" } } });
  expect([named.state(1, "p/m"), named.kept("p/m")]).toEqual([undefined, undefined]);
  expect(collect(...thought("One."), CALL).kept("p/m")).toBeUndefined();
});

it("keeps no endless thoughts", () => {
  const long = collect(...thought("x".repeat(2_000_001), SIGNED));
  expect([long.state(1, "p/m"), long.kept("p/m")]).toEqual([undefined, undefined]);
});

it("gives a program a whole answer's step, which comes back in its place", () => {
  const result: ChatModelResult = {
    content: [
      { type: "reasoning", text: "„Grüße“ 👋", providerMetadata: SIGNED },
      { type: "text", text: "Keeping." },
      { ...CALL, providerMetadata: { google: { thoughtSignature: "S2" } } },
    ],
    finishReason,
    usage: UNKNOWN_USAGE,
    warnings: [],
    providerMetadata: { openaiCompatible: { reasoningField: "reasoning" } },
  };
  const whole = new StepStateCollector();
  whole.takeWhole(result);
  const kept = unpackStep(packStep(whole.kept("p/m") ?? { writtenBy: "", parts: [] }));
  const call = { type: "tool-call", toolCallId: "c1", toolName: "t", input: {} } as const;
  const content = [{ type: "text", text: "Keeping." } as const, call];
  expect(withKeptStep(content, kept ?? { writtenBy: "", parts: [] })).toEqual({
    role: "assistant",
    content: [
      { type: "reasoning", text: "„Grüße“ 👋", providerOptions: { anthropic: { signature: "S1" } } },
      { type: "text", text: "Keeping.", providerOptions: {} },
      { ...call, providerOptions: { google: { thoughtSignature: "S2" } } },
    ],
    providerOptions: {
      openaiCompatible: { reasoningField: "reasoning" },
      console: { writtenBy: "p/m" },
    },
  });
  const other = { ...call, toolCallId: "c2" };
  const parts = withKeptStep([other], kept ?? { writtenBy: "", parts: [] }).content;
  expect(parts.map(({ type }) => type)).toEqual(["reasoning", "tool-call"]);
});

it("takes nothing else from a program than what a provider wants to see again", () => {
  const metadata = {
    openaiCompatible: { role: "system", reasoningField: "reasoning" },
    anthropic: { cacheControl: {} },
  };
  const parts = [{ kind: "reasoning" as const, id: "0", text: "Hm.", metadata }];
  const { content, providerOptions } = withKeptStep([], { writtenBy: "p/m", parts, message: metadata });
  const taken = { openaiCompatible: { reasoningField: "reasoning" } };
  expect(content).toEqual([{ type: "reasoning", text: "Hm.", providerOptions: taken }]);
  expect(providerOptions).toEqual({ ...taken, console: { writtenBy: "p/m" } });
});

it.each([
  undefined,
  7,
  "",
  "EuYBCkQ=",
  "qd1.",
  "qd1.not json",
  `qd1.${Buffer.from("[]").toString("base64url")}`,
])("takes %j for no step of ours", (text) => expect(unpackStep(text)).toBeUndefined());

it.each([
  ["deeply nested", "[".repeat(1000) + "]".repeat(1000)],
  ["long", `[${"0,".repeat(200_000)}0]`],
])("takes no %s value for its signature", (_, value) => {
  const part = `{"kind":"text","id":"","text":"","metadata":{"openaiCompatible":{"reasoningDetails":${value}}}}`;
  const json = `{"writtenBy":"p/m","parts":[${part}]}`;
  expect(unpackStep(`qd1.${Buffer.from(json).toString("base64url")}`)).toBeUndefined();
});
