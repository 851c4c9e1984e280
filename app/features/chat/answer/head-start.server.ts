import type { LanguageModelV3CallOptions, LanguageModelV3StreamResult } from "@ai-sdk/provider";
import { describeTools } from "./call-tool.server";
import type { AnswerPlan } from "./run-answer.server";

/** A first call to the model that is under way before its answer has begun. */
export interface HeadStart {
  result: PromiseLike<LanguageModelV3StreamResult>;
  stop(): void;
}

/** What a model is told in the first step of an answer. */
export function firstCall(plan: AnswerPlan): Pick<LanguageModelV3CallOptions, "prompt" | "tools"> {
  const tools = describeTools(plan.tools);
  return { prompt: plan.prompt, ...(tools.length > 0 ? { tools } : {}) };
}

/**
 * Sends the first request to the model and comes back once it is on its way. Storing the message then costs the person
 * no time: the disk works while the provider does. Nothing of the answer is read before it is taken over.
 */
export async function headStart(plan: AnswerPlan): Promise<HeadStart> {
  const controller = new AbortController();
  const result = plan.model.languageModel.doStream({ ...firstCall(plan), abortSignal: controller.signal });
  // Whoever takes it over sees its failure; until then it is nobody's.
  Promise.resolve(result).catch(() => undefined);
  // One turn of the loop, so that the request leaves before the commit holds the thread.
  await new Promise((resolve) => setImmediate(resolve));
  return { result, stop: () => controller.abort() };
}
