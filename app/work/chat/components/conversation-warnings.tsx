import { Notice } from "~/ui/notice";
import type { ChatMessage } from "../chat.schema";
import type { RefusedCall } from "./conversation-provider";

interface ConversationWarningsProps {
  /** The conversation's model if it is no longer available. */
  goneModel: string | undefined;
  /** The name of the model that is selected instead. */
  model: string;
  refusedCall: RefusedCall | undefined;
  messages: readonly ChatMessage[];
}

/** Above the input: a long conversation opens at its end. */
export function ConversationWarnings({ goneModel, model, refusedCall, messages }: ConversationWarningsProps) {
  const isWaiting = messages.some(({ parts }) =>
    parts.some(
      (part) =>
        part.type === "tool" && part.state === "waiting" && part.toolCallId === refusedCall?.toolCallId,
    ),
  );
  return (
    <div data-warnings="" className="flex flex-col gap-3 pb-3 empty:hidden print:hidden">
      {refusedCall && !isWaiting && (
        <Notice kind="danger" title="Decision not saved">
          {refusedCall.error}
        </Notice>
      )}
      {goneModel && (
        <Notice kind="warning" title="Model not available">
          {goneModel}, this conversation's model, is no longer available. {model} is selected instead; you can
          select another one under Settings.
        </Notice>
      )}
    </div>
  );
}
