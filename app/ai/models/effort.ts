import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { z } from "zod";
import { type ChatModel, type ChatModelCall, withCalls } from "./language-model";
import type { Effort, EffortChoice } from "./model-picker.shared";

/** About how many tokens a model thinks, which count as output. */
const BUDGETS: Record<Effort, number> = { none: 0, low: 2048, medium: 8192, high: 24_576, max: 32_768 };

/** Room beside the answer for thoughts; a model of its own choice thinks as with medium. */
export const thinkingRoom = (effort: Effort | undefined): number => BUDGETS[effort ?? "medium"];

const WORDS: Readonly<Record<string, Effort>> = {
  none: "none",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "max",
  max: "max",
};

/** A protocol's word for an effort; undefined for others. */
export const readEffort = (word: string | null | undefined): Effort | undefined =>
  word && Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;

const BY_BUDGET = (["low", "medium", "high"] as const).map((effort) => [effort, BUDGETS[effort]] as const);

const Thinking = z.object({ type: z.string(), budget_tokens: z.number().optional() });

/** Anthropic's `thinking` as an effort: the least that thinks for as many tokens; undefined leaves it to the model. */
export function effortOfThinking(value: unknown): Effort | undefined {
  const { type, budget_tokens: budget } = Thinking.safeParse(value).data ?? {};
  if (type === "disabled") return "none";
  if (type !== "enabled" || budget === undefined) return undefined;
  return BY_BUDGET.find(([, tokens]) => budget <= tokens)?.[0] ?? "max";
}

export const effortOf = ({ providerOptions }: ChatModelCall): Effort | undefined =>
  readEffort(String(providerOptions?.console?.effort ?? ""));

/** Options of a call with an effort, which each adapter translates. */
export const effortOptions = (effort: EffortChoice | undefined): SharedV3ProviderOptions =>
  effort === undefined || effort === "default" ? {} : { console: { effort } };

/** A model whose adapter has options of its own for an effort. */
export const translatingEffort = (
  model: ChatModel,
  translate: (effort: Effort, modelId: string, call: ChatModelCall) => SharedV3ProviderOptions,
): ChatModel =>
  withCalls(model, (call) => {
    const effort = effortOf(call);
    if (effort === undefined) return call;
    const providerOptions = { ...call.providerOptions };
    for (const [name, own] of Object.entries(translate(effort, model.modelId, call)))
      providerOptions[name] = { ...own, ...providerOptions[name] };
    return { ...call, providerOptions };
  });
