import type { JSONObject, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { ChatModelCall } from "../language-model";
import type { Effort } from "../model-picker.shared";

// How each provider takes an effort. What a model refuses of it is left out (`call-features`).

/** gpt-5 has no "none" but "minimal", o-models neither; the highest came with 5.2. */
export function openAiEffort(effort: Effort, modelId: string): SharedV3ProviderOptions {
  const [, version = ""] = /(?:^|\/)gpt-(\d+(?:\.\d+)?)/.exec(modelId) ?? [];
  const none = version === "" ? "low" : Number(version) > 5 ? "none" : "minimal";
  const max = Number(version) >= 5.2 ? "xhigh" : "high";
  const word = effort === "none" ? none : effort === "max" ? max : effort;
  return { openai: { reasoningEffort: word } };
}

/** Models that decide themselves how long they think, from 4.6 on; the others take a number of tokens. */
const ADAPTIVE = /claude-(?:[a-z]+-)?(?:4-[6-9]|[5-9]|\d\d)(?!\d)|claude-(?:fable|mythos)/;
const ANTHROPIC_BUDGETS: Record<Effort, number> = {
  none: 0,
  low: 2048,
  medium: 8192,
  high: 24_576,
  max: 32_000,
};

export const thinksAdaptively = (modelId: string): boolean => ADAPTIVE.test(modelId);

/** It refuses thoughts beside a forced tool, and in a turn that called tools without any. */
function mayThink({ prompt, toolChoice }: ChatModelCall): boolean {
  if (toolChoice?.type === "required" || toolChoice?.type === "tool") return false;
  const last = prompt.findLast(({ role }) => role === "assistant");
  if (prompt.at(-1)?.role !== "tool" || last?.role !== "assistant") return true;
  return last.content.some(({ type }) => type === "reasoning");
}

export function anthropicEffort(
  effort: Effort,
  modelId: string,
  call: ChatModelCall,
): SharedV3ProviderOptions {
  if (effort === "none") return { anthropic: { thinking: { type: "disabled" } } };
  if (!mayThink(call)) return {};
  if (thinksAdaptively(modelId)) return { anthropic: { thinking: { type: "adaptive" }, effort } };
  return { anthropic: { thinking: { type: "enabled", budgetTokens: ANTHROPIC_BUDGETS[effort] } } };
}

const GOOGLE_BUDGETS: Record<Effort, number> = {
  none: 0,
  low: 1024,
  medium: 8192,
  high: 24_576,
  max: 24_576,
};
/** The least that a pro model thinks. */
const PRO_LEAST = 128;

/** Gemini 2.5 takes a number of tokens, later ones a level, of which pro models have fewer. */
export function googleEffort(effort: Effort, modelId: string): SharedV3ProviderOptions {
  const isPro = /pro/.test(modelId);
  if (/gemini-2/.test(modelId)) {
    const thinkingBudget = Math.max(GOOGLE_BUDGETS[effort], isPro ? PRO_LEAST : 0);
    return { google: { thinkingConfig: { thinkingBudget, includeThoughts: effort !== "none" } } };
  }
  const levels = isPro
    ? { none: "low", low: "low", medium: "high", high: "high", max: "high" }
    : { none: "minimal", low: "low", medium: "medium", high: "high", max: "high" };
  return {
    google: { thinkingConfig: { thinkingLevel: levels[effort], includeThoughts: effort !== "none" } },
  };
}

/** https://openrouter.ai/docs/guides/best-practices/reasoning-tokens */
export const openRouterEffort = (effort: Effort): SharedV3ProviderOptions => ({
  openaiCompatible: { reasoning: { effort: effort === "max" ? "xhigh" : effort } },
});

/** Families whose chat template has a switch in place of levels. */
const SWITCHED = /qwen-?3|glm-?[45]|hunyuan|granite|smollm-?3|nemotron|deepseek-(?:chat-)?v?3|ernie/i;
/** Services with a switch in the body: https://api-docs.deepseek.com/guides/thinking_mode and others alike. */
const SWITCHING_HOSTS = /(?:^|\.)(?:deepseek\.com|moonshot\.(?:ai|cn)|bigmodel\.cn|z\.ai)$/;
const ENABLING_HOSTS = /(?:^|\.)(?:aliyuncs\.com|siliconflow\.(?:cn|com))$/;

function switched(isOn: boolean, modelId: string, host: string): JSONObject {
  if (SWITCHING_HOSTS.test(host)) return { thinking: { type: isOn ? "enabled" : "disabled" } };
  if (ENABLING_HOSTS.test(host)) return { enable_thinking: isOn };
  return SWITCHED.test(modelId) ? { chat_template_kwargs: { enable_thinking: isOn, thinking: isOn } } : {};
}

/** Servers with OpenAI's chat completions API: a level, a switch of the template (vLLM, llama.cpp), or the service's own. */
export const compatibleEffort =
  (baseUrl: string) =>
  (effort: Effort, modelId: string): SharedV3ProviderOptions => {
    const own = switched(effort !== "none", modelId, new URL(baseUrl).hostname);
    const level = { reasoningEffort: effort === "max" ? "high" : effort };
    return { openaiCompatible: Object.keys(own).length > 0 ? own : level };
  };
