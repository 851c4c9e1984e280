import type { AskedQuestion, QuestionEnd } from "~/ai/tools/question.schema";
import { QUESTION_MINUTES } from "~/ai/tools/question.shared";
import { onAbort } from "~/core/abort";
import { transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import type { ActiveGeneration } from "../answer/active-generation.server";
import { GRACE, notifyOwner } from "../approvals/waiting.server";

function sendNotice(
  { actor, conversationId }: ActiveGeneration,
  id: string,
  asker: string,
  tool: string,
): void {
  if (!actor.userId) return;
  const title = `${asker} asks you something`;
  const body = `Tool: ${tool}. It waits ${QUESTION_MINUTES} minutes for your answer.`;
  try {
    transaction((tx) => notifyOwner(tx, { ...actor, id: conversationId }, { title, body, dedupeKey: id }));
  } catch (error) {
    log.error("the notification about a tool's question could not be stored", { error, conversationId });
  }
}

/**
 * Shows a question of a running call in its answer, and waits for the person. Meanwhile the answer's time limit stands
 * still. A restart ends the call, and the question with it.
 * @param ended aborts once the call has ended, or the question was taken back
 */
export async function askPerson(
  live: ActiveGeneration,
  { toolCallId, toolName }: { toolCallId: string; toolName: string },
  asked: AskedQuestion,
  ended: AbortSignal,
): Promise<QuestionEnd> {
  const question = { ...asked, id: newId("qst") };
  const resume = live.countdown?.hold();
  const send = () => sendNotice(live, question.id, asked.asker, toolName);
  const notice = setTimeout(send, live.isFollowed ? GRACE : 0);
  let expiry: NodeJS.Timeout | undefined;
  let forget = () => {};
  const answered = new Promise<QuestionEnd>((resolve) => {
    const end = (how: QuestionEnd) => {
      live.questions.delete(question.id);
      resolve(how);
    };
    live.questions.set(question.id, { question, tool: toolName, end });
    expiry = setTimeout(() => end({ outcome: "expired" }), QUESTION_MINUTES * 60_000);
    forget = onAbort(ended, () => end({ outcome: "withdrawn" }));
  });
  live.emit({ type: "data-tool-question", id: toolCallId, data: question, transient: true });
  live.emit({ type: "data-waiting", data: { text: "Waiting for your answer…" }, transient: true });
  try {
    const end = await answered;
    const data = { questionId: question.id, ...end };
    live.emit({ type: "data-tool-answer", id: toolCallId, data, transient: true });
    return end;
  } finally {
    clearTimeout(notice);
    clearTimeout(expiry);
    forget();
    resume?.();
  }
}
