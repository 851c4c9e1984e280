import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3StreamResult,
} from "@ai-sdk/provider";
import type { ResolvedModel } from "~/features/models/models.service.server";
import type { Tool } from "../tools/tool";
import { describeTools } from "./call-tool.server";

/** What a first call is made of. */
interface Opening {
  model: ResolvedModel;
  prompt: LanguageModelV3Message[];
  tools: readonly Tool[];
}

/** A first call to the model that is under way before its answer has begun. */
export interface HeadStart {
  result: PromiseLike<LanguageModelV3StreamResult>;
  stop(): void;
}

/** What a model is told in the first step of an answer. */
export function firstCall(
  opening: Omit<Opening, "model">,
): Pick<LanguageModelV3CallOptions, "prompt" | "tools"> {
  const tools = describeTools(opening.tools);
  return { prompt: opening.prompt, ...(tools.length > 0 ? { tools } : {}) };
}

/**
 * Sends the first request to the model. Storing the message in the next turn of the event loop then costs the person
 * no time: the disk works while the provider does. Nothing of the answer is read before it is taken over.
 */
export function headStart(opening: Opening): HeadStart {
  const controller = new AbortController();
  const result = opening.model.languageModel.doStream({
    ...firstCall(opening),
    abortSignal: controller.signal,
  });
  // Whoever takes it over sees its failure; until then it is nobody's.
  Promise.resolve(result).catch(() => undefined);
  return { result, stop: () => controller.abort() };
}
