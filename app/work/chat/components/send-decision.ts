import type { Question } from "~/ai/tools/question.schema";
import { contentOf, controlName } from "~/ai/tools/question.shared";
import { withBase } from "~/core/base-path";
import { detailOf, problemDetail, UNREACHABLE } from "~/ui/failures";
import { showToast } from "~/ui/toast-store";
import type { ChatMessage } from "../chat.schema";
import { NOT_JSON } from "../chat-choices.shared";

/** Undefined for invalid JSON. */
function parseArguments(text: FormDataEntryValue | null): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    // The field shows the error.
    return undefined;
  }
}

/** @returns the decided message, or an error of the arguments; other errors are toasts */
export async function sendDecision(
  conversationId: string,
  form: FormData,
): Promise<{ message: ChatMessage; lastEventId: number } | { problem: string | undefined }> {
  const refuses = form.get("decision") === "refuse";
  const input = refuses ? undefined : parseArguments(form.get("input"));
  if (!refuses && (typeof input !== "object" || input === null)) return { problem: NOT_JSON };
  const failed = (description: string) => {
    showToast({ kind: "error", title: "Couldn't send the decision", description });
    return { problem: undefined };
  };
  try {
    const response = await fetch(withBase(`/api/ai/chat/${conversationId}/approvals`), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        toolCallId: form.get("toolCallId"),
        decision: form.get("decision"),
        ...(refuses ? { reason: form.get("reason") ?? "" } : { input }),
      }),
    });
    if (response.ok) return (await response.json()) as { message: ChatMessage; lastEventId: number };
    const problem = await problemDetail(response);
    return response.status === 400 ? { problem } : failed(problem);
  } catch {
    return failed(UNREACHABLE);
  }
}

type Problems = Record<string, string[]>;

/** @returns messages by control, if values don't fit; other errors are toasts */
export async function sendAnswer(
  conversationId: string,
  { id, fields = [] }: Question,
  form: FormData,
): Promise<Problems | "sent" | "failed"> {
  const failed = (description: string) => {
    showToast({ kind: "error", title: "Couldn't send the answer", description });
    return "failed" as const;
  };
  try {
    const response = await fetch(withBase(`/api/ai/chat/${conversationId}/answers`), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        questionId: id,
        action: form.get("action"),
        content: contentOf(fields, (control) => form.getAll(control).map(String)),
      }),
    });
    if (response.ok) return "sent";
    const problem = (await response.json().catch(() => undefined)) as { errors?: Problems } | undefined;
    const { errors } = problem ?? {};
    if (response.status !== 400 || !errors) return failed(detailOf(response.status, problem));
    const messages = fields.flatMap(({ name }, at): [string, string[]][] => {
      const list = errors[`content.${name}`];
      return list ? [[controlName(at), list]] : [];
    });
    return Object.fromEntries(messages);
  } catch {
    return failed(UNREACHABLE);
  }
}
