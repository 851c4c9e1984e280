import type { Question, QuestionAnswer, QuestionEnd } from "~/ai/tools/question.schema";
import { checkAnswer } from "~/ai/tools/question.service.server";
import { contentOf, controlName } from "~/ai/tools/question.shared";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { findActiveGeneration } from "../answer/active-generation.server";
import type { AnswerControls, AnswerForm } from "../approvals/approvals.schema";
import { requireConversation } from "../chat.service.server";

function requireOpen(actor: Actor, conversationId: string, questionId: string) {
  requireConversation(actor, conversationId);
  const open = findActiveGeneration(conversationId)?.questions.get(questionId);
  if (open) return open;
  throw new AppError("conflict", "This question is no longer open: it was answered, or its call has ended.");
}

type KeyOf = (at: number, name: string) => string;

/** @throws AppError `invalid` with a message at each field that doesn't fit */
async function endOf(
  { fields = [] }: Question,
  { action, content = {} }: QuestionAnswer,
  keyOf: KeyOf,
): Promise<QuestionEnd> {
  if (action !== "accept") return { outcome: action === "decline" ? "declined" : "cancelled" };
  if (fields.length === 0) return { outcome: "accepted" };
  const checked = await checkAnswer(fields, content);
  if ("content" in checked) return { outcome: "accepted", content: checked.content };
  const problems = [...checked.problems].map(([at, message]) => [
    keyOf(at, fields[at]?.name ?? ""),
    [message],
  ]);
  throw new AppError("invalid", "Some values don't fit.", { fields: Object.fromEntries(problems) });
}

/** Without its values, which are kept with the call alone. */
async function answer(
  actor: Actor,
  conversationId: string,
  input: QuestionAnswer,
  keyOf: KeyOf,
): Promise<void> {
  authorise(actor, "chat.use");
  const asked = requireOpen(actor, conversationId, input.questionId);
  const how = await endOf(asked.question, input, keyOf);
  // Meanwhile its call may have ended, or another page answered it.
  const { question, tool, end } = requireOpen(actor, conversationId, input.questionId);
  transaction((tx) =>
    append(tx, actor, {
      action:
        how.outcome === "accepted" ? "conversation.question_answered" : "conversation.question_declined",
      resource: `conversation:${conversationId}`,
      details: { tool, asker: question.asker, outcome: how.outcome },
    }),
  );
  end(how);
}

/**
 * Answers, declines or dismisses an open question of a running call, which goes on with it.
 * @throws AppError `invalid` for values that the question doesn't allow, `conflict` if it is no longer open, `not_found`
 * for another person's conversation
 */
export const answerQuestion = (actor: Actor, conversationId: string, input: QuestionAnswer): Promise<void> =>
  answer(actor, conversationId, input, (_, name) => `content.${name}`);

/** By the form under a call, whose controls are texts. */
export async function answerByForm(
  actor: Actor,
  conversationId: string,
  { questionId, action, ...controls }: AnswerForm,
): Promise<void> {
  authorise(actor, "chat.use");
  const { fields = [] } = requireOpen(actor, conversationId, questionId).question;
  const texts: AnswerControls = controls;
  const textsOf = (control: string) => [texts[control] ?? []].flat();
  const content = contentOf(fields, textsOf);
  await answer(actor, conversationId, { questionId, action, content }, controlName);
}
