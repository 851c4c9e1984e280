import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { withDeadline } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { groupedTransaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import {
  explainProviderError,
  type GeneratedText,
  newRouteRecord,
  type OnText,
  readGeneratedText,
  resolveModel,
} from "./models.service.server";
import { recordCall } from "./pricing.service.server";

interface TextRequest {
  model: string;
  system: string | undefined;
  prompt: string;
  /** In characters; the model is stopped beyond. */
  maxLength: number;
  signal: AbortSignal;
  timeout?: { ms: number; timeoutError: () => AppError };
  /** The workflow whose budget pays. */
  workflowId?: string | undefined;
  onText?: OnText;
}

/**
 * Generates a text, which may be longer than `maxLength` by a part, and records its usage whatever the outcome.
 * @throws AppError with the provider's reason
 */
export async function generateText(
  actor: Actor,
  request: TextRequest,
): Promise<{ text: string; model: string }> {
  const { model: modelId, system, signal, timeout, maxLength, workflowId, onText } = request;
  const model = resolveModel(actor, modelId, { workflowId });
  const prompt: LanguageModelV3Message[] = [
    ...(system ? [{ role: "system" as const, content: system }] : []),
    { role: "user", content: [{ type: "text", text: request.prompt }] },
  ];
  const route = newRouteRecord();
  const received: GeneratedText = { text: "" };
  const started = performance.now();
  let failure: AppError | undefined;
  const read = (abortSignal: AbortSignal) =>
    readGeneratedText(model, { prompt, abortSignal }, route, received, maxLength, onText);
  try {
    await (timeout ? withDeadline({ ...timeout, signal }, read) : read(signal));
  } catch (error) {
    if (error instanceof AppError) failure = error;
    else failure = explainProviderError(error, { provider: "The provider", model: modelId });
  }
  const { target, usage, text } = received;
  const lastAttempt = route.attempts.at(-1);
  const failed = signal.aborted ? ("stopped" as const) : ("error" as const);
  await groupedTransaction((tx) =>
    recordCall(tx, actor, {
      providerId: target?.providerId ?? lastAttempt?.providerId ?? null,
      providerType: target?.providerType ?? lastAttempt?.providerType ?? "unknown",
      model: target?.modelId ?? modelId,
      ...(target && { pricing: target.pricing, requestedModel: target.requestedModel }),
      inputTokens: usage?.inputTokens.total,
      outputTokens: usage?.outputTokens.total,
      durationMs: performance.now() - started,
      outcome: failure ? failed : "ok",
      errorCode: failure?.code ?? null,
      route,
    }),
  ).catch((error: unknown) => log.error("a generation's usage was not recorded", { error }));
  if (failure) throw failure;
  return { text, model: target?.modelId ?? modelId };
}
