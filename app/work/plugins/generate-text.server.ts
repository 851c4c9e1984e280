import type { LanguageModelV3Message } from "@ai-sdk/provider";
import {
  availableModel,
  explainProviderError,
  type GeneratedText,
  listModels,
  newRouteRecord,
  readGeneratedText,
  resolveModel,
} from "~/ai/models/models.service.server";
import { recordCall } from "~/ai/models/pricing.service.server";
import type { Actor } from "~/core/actor";
import { groupedTransaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { currentPurpose } from "~/core/purpose.server";
import { clip } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";

export interface TextRequest {
  model: string;
  system: string;
  prompt: string;
  /** In characters; the model is stopped there. */
  maxLength: number;
}

export interface WrittenText {
  text: string;
  model: string;
  /** The text was truncated. */
  truncated: boolean;
}

/** Through router, budgets and usage records. @throws AppError with the provider's reason; `provider_model` */
export async function generateText(
  caller: Actor,
  { model: requestedModel, system, prompt: text, maxLength }: TextRequest,
  abortSignal: AbortSignal,
): Promise<WrittenText> {
  authorise(caller, "chat.use");
  // A workflow's tools act for the workflow, but its models are paid by its member, as in its own steps.
  const { workflowId, memberId = caller.userId } = currentPurpose();
  const actor = { ...caller, userId: memberId };
  const modelId = requestedModel || availableModel(listModels(actor), "");
  const model = resolveModel(actor, modelId, { workflowId });
  const prompt: LanguageModelV3Message[] = [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text }] },
  ];
  const route = newRouteRecord();
  const received: GeneratedText = { text: "" };
  const started = performance.now();
  let failure: AppError | undefined;
  try {
    await readGeneratedText(model, { prompt, abortSignal }, route, received, maxLength);
  } catch (error) {
    failure =
      error instanceof AppError
        ? error
        : explainProviderError(error, { provider: "The provider", model: modelId });
  }
  const { target, usage } = received;
  const lastAttempt = route.attempts.at(-1);
  const failed = abortSignal.aborted ? ("stopped" as const) : ("error" as const);
  await groupedTransaction((tx) =>
    recordCall(tx, actor, {
      providerId: target?.providerId ?? lastAttempt?.providerId ?? null,
      providerType: target?.providerType ?? lastAttempt?.providerType ?? "unknown",
      model: target?.modelId ?? modelId,
      ...(target ? { pricing: target.pricing, requestedModel: target.requestedModel } : {}),
      inputTokens: usage?.inputTokens.total,
      outputTokens: usage?.outputTokens.total,
      durationMs: performance.now() - started,
      outcome: failure ? failed : "ok",
      errorCode: failure?.code ?? null,
      route,
    }),
  ).catch((error: unknown) => log.error("a plugin's use of a model was not recorded", { error }));
  if (failure) throw failure;
  const written = clip(received.text, maxLength);
  return { text: written, model: target?.modelId ?? modelId, truncated: received.text.length > maxLength };
}
