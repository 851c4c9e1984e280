import type { LanguageModelV3Message } from "@ai-sdk/provider";
import {
  explainProviderError,
  type GeneratedText,
  listModels,
  newRouteRecord,
  readGeneratedText,
  resolveModel,
} from "~/ai/models/models.service.server";
import { priceFor } from "~/ai/models/pricing.service.server";
import type { Actor } from "~/core/actor";
import { groupedTransaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { recordUsage } from "~/team/usage/usage.service.server";
import type { StepServices } from "../steps/step-type";

/** Output limit in characters, so that an endless stream can't fill the memory. */
const MAX_ANSWER_LENGTH = 2_000_000;

type Generation = Parameters<StepServices["generate"]>[0];
type ModelAnswer = Awaited<ReturnType<StepServices["generate"]>>;

/** Null if unknown. */
export interface StepUsage {
  inputTokens: number | null;
  outputTokens: number | null;
  costMicros: number | null;
}

interface GenerateOptions {
  actor: Actor;
  workflowId: string;
  runId: string;
  stepId: string;
  signal: AbortSignal;
  onUsage(usage: StepUsage): void;
}

/** The first recommended model, else gpt-4o, else the first. */
export function defaultModel(actor: Actor): string {
  const models = listModels(actor);
  const chosen = models.find(({ recommended }) => recommended) ?? models.find(({ id }) => id === "gpt-4o");
  return (chosen ?? models[0])?.id ?? "gpt-4o";
}

function limitsOf({ maxTokens, temperature }: Generation) {
  return {
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** Records the usage whatever the outcome. @throws AppError for the user; the signal's reason */
export async function generate(call: Generation, options: GenerateOptions): Promise<ModelAnswer> {
  const { actor, signal, onUsage, workflowId, runId, stepId } = options;
  const { orgId } = actor;
  const model = resolveModel(actor, call.model, { workflowId });
  const prompt: LanguageModelV3Message[] = [
    ...(call.system ? [{ role: "system" as const, content: call.system }] : []),
    { role: "user", content: [{ type: "text", text: call.prompt }] },
  ];
  const route = newRouteRecord();
  const received: GeneratedText = { text: "" };
  const started = performance.now();
  let failure: AppError | undefined;
  try {
    const options = { prompt, abortSignal: signal, ...limitsOf(call) };
    await readGeneratedText(model, options, route, received, MAX_ANSWER_LENGTH);
    if (received.text.length > MAX_ANSWER_LENGTH)
      throw new AppError("provider_rejected", "The model wrote more than 2 million characters.");
  } catch (error) {
    failure =
      error instanceof AppError
        ? error
        : explainProviderError(error, { provider: "The provider", model: call.model });
  }
  const { target, usage, text } = received;
  const inputTokens = usage?.inputTokens.total ?? null;
  const outputTokens = usage?.outputTokens.total ?? null;
  const cacheReadTokens = usage?.inputTokens.cacheRead ?? null;
  const cacheWriteTokens = usage?.inputTokens.cacheWrite ?? null;
  const tokens = {
    input: inputTokens,
    output: outputTokens,
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
  };
  const costMicros = target
    ? priceFor(orgId, { ...target, model: target.modelId, requestedModel: target.requestedModel }, tokens)
    : null;
  onUsage({ inputTokens, outputTokens, costMicros });
  const lastAttempt = route.attempts.at(-1);
  const failed = signal.aborted ? ("stopped" as const) : ("error" as const);
  await groupedTransaction((tx) =>
    recordUsage(tx, actor, {
      source: "workflow",
      workflowId,
      runId,
      stepId,
      providerId: target?.providerId ?? lastAttempt?.providerId ?? null,
      providerType: target?.providerType ?? lastAttempt?.providerType ?? "unknown",
      model: target?.modelId ?? call.model,
      inputTokens,
      outputTokens,
      costMicros,
      durationMs: performance.now() - started,
      outcome: failure ? failed : "ok",
      errorCode: failure?.code ?? null,
      route,
    }),
  ).catch((error: unknown) => log.error("a step's usage was not recorded", { error, runId }));
  if (signal.aborted) throw signal.reason;
  if (failure || !target)
    throw failure ?? new AppError("provider_unavailable", "No model answered. Try again.");
  return {
    text,
    model: target.modelId,
    provider: target.displayName,
    inputTokens,
    outputTokens,
    costMicros,
  };
}
