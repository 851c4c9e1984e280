import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { type GeneratedText, readGeneratedText } from "~/ai/models/generate-text.service.server";
import { newRouteRecord, type ResolvedModel } from "~/ai/models/models.service.server";
import { recordCall } from "~/ai/models/pricing.service.server";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { textOf } from "../answer-state.shared";
import { findConversation, listBranch, updateConversation } from "../chat.repo.server";
import { partsOf, titleOf } from "../chat.service.server";
import { announceConversations } from "../list/announce.server";

const INSTRUCTIONS =
  "Write a title of at most six words for this conversation, in its language. Answer with the title alone.";
/** Characters of question and answer in the prompt. */
const PROMPT_LENGTH = 2000;
/** Output limit of the call. */
const MAX_TITLE_TOKENS = 20;

/** The first line without added quotation marks and period. */
export function cleanTitle(answer: string): string {
  const line = answer.trim().split("\n")[0] ?? "";
  return titleOf(line.replaceAll(/^[\s"'“”„«»*#]+|[\s"'“”«».*]+$/gu, ""));
}

/** Asks a model for a title unless the owner has set one meanwhile; on failure the title stays. */
export async function proposeTitle(
  actor: Actor,
  conversationId: string,
  model: ResolvedModel,
  signal: AbortSignal,
): Promise<void> {
  const last = findConversation(db(), actor, conversationId)?.activeMessageId ?? null;
  const [question, answer] = listBranch(db(), last);
  if (!question || !answer) return;
  const text = [question, answer]
    .map((row) => textOf(partsOf(row)).slice(0, PROMPT_LENGTH))
    .join("\n\n---\n\n");
  const route = newRouteRecord();
  const received: GeneratedText = { text: "" };
  const started = performance.now();
  let error: unknown;
  try {
    const prompt: LanguageModelV3Message[] = [
      { role: "system", content: INSTRUCTIONS },
      { role: "user", content: [{ type: "text", text }] },
    ];
    const call = { prompt, abortSignal: signal, maxOutputTokens: MAX_TITLE_TOKENS };
    await readGeneratedText(model, call, route, received, PROMPT_LENGTH);
  } catch (thrown) {
    error = thrown;
  }
  const { target, usage } = received;
  const title = error === undefined ? cleanTitle(received.text) : "";
  const lastAttempt = route.attempts.at(-1);
  transaction((tx) => {
    recordCall(tx, actor, {
      conversationId,
      providerId: target?.providerId ?? lastAttempt?.providerId ?? null,
      providerType: target?.providerType ?? lastAttempt?.providerType ?? "unknown",
      model: target?.modelId ?? model.modelId,
      ...(target ? { pricing: target.pricing, requestedModel: target.requestedModel } : {}),
      inputTokens: usage?.inputTokens.total,
      outputTokens: usage?.outputTokens.total,
      durationMs: performance.now() - started,
      outcome: error === undefined ? "ok" : signal.aborted ? "stopped" : "error",
      errorCode: error instanceof AppError ? error.code : null,
      route,
    });
    if (title === "" || findConversation(tx, actor, conversationId)?.titleSource !== "message") return;
    updateConversation(tx, conversationId, { title, titleSource: "model" });
    announceConversations(actor);
  });
}
