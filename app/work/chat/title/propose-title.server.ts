import { generateWith, type TextOutcome } from "~/ai/models/generate-text.service.server";
import type { ResolvedModel } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { type Db, db } from "~/core/db.server";
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
  const prompt = [question, answer]
    .map((row) => textOf(partsOf(row)).slice(0, PROMPT_LENGTH))
    .join("\n\n---\n\n");
  const store = (tx: Db, { text, failure }: TextOutcome) => {
    const title = failure ? "" : cleanTitle(text);
    if (title === "" || findConversation(tx, actor, conversationId)?.titleSource !== "message") return;
    updateConversation(tx, conversationId, { title, titleSource: "model" });
    announceConversations(actor);
  };
  const limits = { maxLength: PROMPT_LENGTH, maxOutputTokens: MAX_TITLE_TOKENS };
  const request = { system: INSTRUCTIONS, prompt, ...limits, conversationId, signal, store };
  await generateWith(actor, model, request).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
}
