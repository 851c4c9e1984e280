import type { LanguageModelV3Message } from "@ai-sdk/provider";
import {
  explainProviderError,
  type GeneratedText,
  listModels,
  newChatModel,
  newRouteRecord,
  type OnText,
  readGeneratedText,
  resolveModel,
} from "~/ai/models/models.service.server";
import { recordCall } from "~/ai/models/pricing.service.server";
import { withDeadline } from "~/core/abort";
import type { Actor } from "~/core/actor";
import { groupedTransaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { asOpenCall } from "~/core/open-calls.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { clip } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";
import type { PersonaTrial } from "./personas.schema";
import { personaPrompt } from "./personas.service.server";

const MAX_ANSWER_LENGTH = 20_000;
const TIMEOUT = 60_000;

async function askPersona(
  actor: Actor,
  trial: PersonaTrial,
  signal: AbortSignal,
  onText: OnText,
): Promise<{ answer: string; model: string }> {
  authorise(actor, "personas.write");
  authorise(actor, "chat.use");
  const models = listModels(actor);
  const modelId = models.find(({ id }) => id === trial.defaultModel)?.id ?? newChatModel(actor, models);
  const model = resolveModel(actor, modelId);
  const system = personaPrompt(trial);
  const prompt: LanguageModelV3Message[] = [
    ...(system ? [{ role: "system" as const, content: system }] : []),
    { role: "user", content: [{ type: "text", text: trial.question }] },
  ];
  const timeoutError = new AppError("provider_timeout", "The model took longer than 60 s. Try again.");
  const route = newRouteRecord();
  const received: GeneratedText = { text: "" };
  const started = performance.now();
  let failure: AppError | undefined;
  try {
    await withDeadline({ ms: TIMEOUT, timeoutError, signal }, (abortSignal) =>
      readGeneratedText(model, { prompt, abortSignal }, route, received, MAX_ANSWER_LENGTH, onText),
    );
  } catch (error) {
    if (error instanceof AppError) failure = error;
    else failure = explainProviderError(error, { provider: "The provider", model: modelId });
  }
  const { target, usage, text } = received;
  const lastAttempt = route.attempts.at(-1);
  await groupedTransaction((tx) =>
    recordCall(tx, actor, {
      providerId: target?.providerId ?? lastAttempt?.providerId ?? null,
      providerType: target?.providerType ?? lastAttempt?.providerType ?? "unknown",
      model: target?.modelId ?? modelId,
      requestedModel: target?.requestedModel,
      inputTokens: usage?.inputTokens.total,
      outputTokens: usage?.outputTokens.total,
      durationMs: performance.now() - started,
      outcome: failure ? "error" : "ok",
      errorCode: failure?.code ?? null,
      route,
    }),
  ).catch((error: unknown) => log.error("a tried persona's usage was not recorded", { error }));
  if (failure) throw failure;
  return { answer: clip(text, MAX_ANSWER_LENGTH), model: target?.modelId ?? modelId };
}

/**
 * Asks an unsaved persona one question, without tools. Only the usage is stored.
 * @param signal aborts when the client disconnects
 * @throws AppError with the provider's reason, or that the console is restarting
 */
export function tryPersona(
  actor: Actor,
  trial: PersonaTrial,
  signal: AbortSignal,
  onText: OnText = () => {},
): ReturnType<typeof askPersona> {
  return asOpenCall(signal, (open) => askPersona(actor, trial, open, onText));
}

type TrialChunk =
  | { type: "start"; messageId: string; messageMetadata: { model: string } }
  | { type: "text-start" | "text-end"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "error"; errorText: string }
  | { type: "finish"; messageMetadata: Record<string, never> };

const TEXT = { id: "0" };

/** As `tryPersona`, streamed; errors are events. */
export async function streamTrial(
  actor: Actor,
  trial: PersonaTrial,
  signal: AbortSignal,
  emit: (chunk: TrialChunk) => void,
): Promise<void> {
  let hasBegun = false;
  const begin = (model: string) => {
    if (hasBegun) return;
    hasBegun = true;
    emit({ type: "start", messageId: newId("msg"), messageMetadata: { model } });
    emit({ type: "text-start", ...TEXT });
  };
  try {
    const { model } = await tryPersona(actor, trial, signal, (delta, modelId) => {
      begin(modelId);
      emit({ type: "text-delta", ...TEXT, delta });
    });
    begin(model);
    emit({ type: "text-end", ...TEXT });
  } catch (thrown) {
    const error = explainStorageFault(thrown);
    if (!(error instanceof AppError)) log.error("a persona could not be tried", { error });
    const errorText =
      error instanceof AppError ? error.message : "The answer couldn't be written. Try again.";
    emit({ type: "error", errorText });
  }
  emit({ type: "finish", messageMetadata: {} });
}
