import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import type { ChatModel, ChatModelCall } from "../language-model";
import { cachingPrompts } from "./prompt-caching";

const LONG = "word ".repeat(1000);
const text = (value: string) => [{ type: "text" as const, text: value }];
const tool: LanguageModelV3FunctionTool = { type: "function", name: "add", inputSchema: { type: "object" } };
const MARK = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Which messages and tools of a call are marked, by position. */
async function marksOf(call: ChatModelCall) {
  let sent: ChatModelCall = call;
  const model = {
    doGenerate: async (given: ChatModelCall) => {
      sent = given;
    },
  };
  await cachingPrompts(model as unknown as ChatModel).doGenerate(call);
  const positions = (list: readonly object[]) =>
    list.flatMap((one, at) => (JSON.stringify(one).includes("cacheControl") ? [at] : []));
  return { prompt: positions(sent.prompt), tools: positions(sent.tools ?? []) };
}

it("marks only the system prompt of a single call", async () => {
  const prompt: ChatModelCall["prompt"] = [
    { role: "system", content: LONG },
    { role: "user", content: text("Hi") },
  ];
  expect(await marksOf({ prompt })).toEqual({ prompt: [0], tools: [] });
});

it("marks the tools and the last two turns of one that goes on", async () => {
  const prompt: ChatModelCall["prompt"] = [
    { role: "system", content: LONG },
    { role: "user", content: text("One") },
    { role: "assistant", content: text("Two") },
    { role: "user", content: text("Three") },
    { role: "assistant", content: text("Four") },
    { role: "user", content: text("Five") },
  ];
  expect(await marksOf({ prompt, tools: [{ ...tool }, tool] })).toEqual({ prompt: [0, 3, 5], tools: [1] });
});

it("leaves short prompts as they are, and those that a program marked itself", async () => {
  const short: ChatModelCall["prompt"] = [{ role: "user", content: text("Hi") }];
  expect(await marksOf({ prompt: short, tools: [tool] })).toEqual({ prompt: [], tools: [] });
  const own: ChatModelCall["prompt"] = [
    { role: "user", content: text(LONG), providerOptions: MARK },
    { role: "assistant", content: text("Yes") },
    { role: "user", content: text("Hi") },
  ];
  expect(await marksOf({ prompt: own, tools: [tool] })).toEqual({ prompt: [0], tools: [] });
});
