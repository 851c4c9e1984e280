import { generateText, type OnText } from "~/ai/models/generate-text.service.server";
import { listModels, newChatModel } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
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

/**
 * Asks an unsaved persona one question, without tools. Only the usage is stored.
 * @param signal aborts when the client disconnects
 * @throws AppError with the provider's reason, or that the console is restarting
 */
export async function tryPersona(
  actor: Actor,
  trial: PersonaTrial,
  signal: AbortSignal,
  onText: OnText = () => {},
): Promise<{ answer: string; model: string }> {
  authorise(actor, "personas.write");
  authorise(actor, "chat.use");
  const models = listModels(actor);
  const timeoutError = () => new AppError("provider_timeout", "The model took longer than 60 s. Try again.");
  const { text, model } = await asOpenCall(signal, (open) =>
    generateText(actor, {
      model: models.find(({ id }) => id === trial.defaultModel)?.id ?? newChatModel(actor, models),
      system: personaPrompt(trial),
      prompt: trial.question,
      effort: trial.reasoningEffort,
      maxLength: MAX_ANSWER_LENGTH,
      signal: open,
      timeout: { ms: TIMEOUT, timeoutError },
      onText,
    }),
  );
  return { answer: clip(text, MAX_ANSWER_LENGTH), model };
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
