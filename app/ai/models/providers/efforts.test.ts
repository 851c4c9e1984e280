import { expect, it } from "vitest";
import type { ChatModelCall } from "../language-model";
import { anthropicEffort, compatibleEffort, googleEffort, openAiEffort, openRouterEffort } from "./efforts";

const CALL: ChatModelCall = { prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] };
const EFFORTS = ["none", "low", "medium", "high", "max"] as const;

it.each([
  ["gpt-5-mini", ["minimal", "low", "medium", "high", "high"]],
  ["gpt-5.1", ["none", "low", "medium", "high", "high"]],
  ["gpt-5.2-pro", ["none", "low", "medium", "high", "xhigh"]],
  ["o4-mini", ["low", "low", "medium", "high", "high"]],
])("OpenAI's %s takes %j", (model, words) => {
  expect(EFFORTS.map((effort) => openAiEffort(effort, model).openai?.reasoningEffort)).toEqual(words);
});

it.each([
  ["claude-opus-4-6", { thinking: { type: "adaptive" }, effort: "high" }],
  ["claude-sonnet-5", { thinking: { type: "adaptive" }, effort: "high" }],
  ["claude-sonnet-4-5-20250929", { thinking: { type: "enabled", budgetTokens: 24_576 } }],
  ["claude-3-7-sonnet-20250219", { thinking: { type: "enabled", budgetTokens: 24_576 } }],
])("Anthropic's %s takes %j", (model, options) => {
  expect(anthropicEffort("high", model, CALL)).toEqual({ anthropic: options });
  expect(anthropicEffort("none", model, CALL)).toEqual({ anthropic: { thinking: { type: "disabled" } } });
});

it("asks Anthropic for no thoughts beside a forced tool, or in a turn that called tools without any", () => {
  const forced: ChatModelCall = { ...CALL, toolChoice: { type: "required" } };
  expect(anthropicEffort("low", "claude-opus-4-6", forced)).toEqual({});
  const called = (...thoughts: { type: "reasoning"; text: string }[]): ChatModelCall => ({
    prompt: [
      ...CALL.prompt,
      {
        role: "assistant",
        content: [...thoughts, { type: "tool-call", toolCallId: "c", toolName: "add", input: {} }],
      },
      { role: "tool", content: [] },
    ],
  });
  expect(anthropicEffort("low", "claude-opus-4-6", called())).toEqual({});
  const thought = called({ type: "reasoning", text: "Hm" });
  expect(anthropicEffort("low", "claude-opus-4-6", thought)).not.toEqual({});
});

it.each([
  ["gemini-2.5-flash", "none", { thinkingBudget: 0, includeThoughts: false }],
  ["gemini-2.5-pro", "none", { thinkingBudget: 128, includeThoughts: false }],
  ["gemini-2.5-pro", "medium", { thinkingBudget: 8192, includeThoughts: true }],
  ["gemini-3-pro-preview", "medium", { thinkingLevel: "high", includeThoughts: true }],
  ["gemini-3-flash", "none", { thinkingLevel: "minimal", includeThoughts: false }],
  ["gemini-3-flash", "medium", { thinkingLevel: "medium", includeThoughts: true }],
] as const)("Google's %s takes %s as %j", (model, effort, thinkingConfig) => {
  expect(googleEffort(effort, model)).toEqual({ google: { thinkingConfig } });
});

it.each([
  ["http://vllm:8000/v1", "openai/gpt-oss-120b", "max", { reasoningEffort: "high" }],
  ["http://vllm:8000/v1", "openai/gpt-oss-120b", "none", { reasoningEffort: "none" }],
  [
    "http://vllm:8000/v1",
    "Qwen/Qwen3-8B",
    "none",
    { chat_template_kwargs: { enable_thinking: false, thinking: false } },
  ],
  [
    "http://vllm:8000/v1",
    "Qwen/Qwen3-8B",
    "low",
    { chat_template_kwargs: { enable_thinking: true, thinking: true } },
  ],
  ["https://api.deepseek.com", "deepseek-v4-pro", "none", { thinking: { type: "disabled" } }],
  ["https://api.moonshot.ai/v1", "kimi-k2.6", "high", { thinking: { type: "enabled" } }],
  ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen3-max", "high", { enable_thinking: true }],
  ["https://notdeepseek.com/v1", "m", "low", { reasoningEffort: "low" }],
] as const)("%s takes %s's %s as %j", (baseUrl, model, effort, options) => {
  expect(compatibleEffort(baseUrl)(effort, model)).toEqual({ openaiCompatible: options });
});

it("OpenRouter takes them in an object of its own", () => {
  expect(openRouterEffort("max")).toEqual({ openaiCompatible: { reasoning: { effort: "xhigh" } } });
});
