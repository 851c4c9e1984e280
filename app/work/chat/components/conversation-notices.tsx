import { X } from "lucide-react";
import { useContext, useId } from "react";
import { withBase } from "~/core/base-path";
import { IconButton } from "~/ui/button";
import { errorsOf } from "~/ui/form-result";
import { HiddenFields } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { openQuestions } from "../answer-state.shared";
import type { ChatMessage } from "../chat.schema";
import { ApprovalsContext, type RefusedAnswer, type RefusedCall } from "./conversation-provider";
import { SharingAllowed } from "./sharing";

function ApprovedTools({ tools }: { tools: readonly string[] }) {
  const approvals = useContext(ApprovalsContext);
  const label = useId();
  if (!approvals || tools.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5 text-xs">
      <span id={label} className="text-muted">
        Approved for this conversation
      </span>
      <ul aria-labelledby={label} className="contents">
        {tools.map((tool) => (
          <li
            key={tool}
            className="inline-flex min-w-0 items-center rounded-full border border-line bg-surface pl-2.5"
          >
            <span className="wrap-anywhere font-mono">{tool}</span>
            <form method="post" action={withBase(approvals.action)} className="inline-flex">
              <HiddenFields values={{ intent: "withdraw-approval", tool }} />
              <IconButton
                label={`Withdraw the approval of ${tool}`}
                icon={<X />}
                className="rounded-full! [&_svg]:size-3!"
              />
            </form>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ConversationNoticesProps {
  approvedTools: readonly string[];
}

/** Permissions granted for the whole conversation, each with a button to withdraw it. */
export function ConversationNotices({ approvedTools }: ConversationNoticesProps) {
  return (
    <div data-notices="" className="pb-3 print:hidden">
      <SharingAllowed />
      <ApprovedTools tools={approvedTools} />
    </div>
  );
}

interface ConversationWarningsProps {
  goneModel: string | undefined;
  model: string;
  refusedCall: RefusedCall | undefined;
  refusedAnswer: RefusedAnswer | undefined;
  messages: readonly ChatMessage[];
}

/** Above the input: a long conversation opens at its end. */
export function ConversationWarnings({
  goneModel,
  model,
  refusedCall,
  refusedAnswer,
  messages,
}: ConversationWarningsProps) {
  const isAsked = messages.some(({ parts }) =>
    parts.some(
      (part) =>
        part.type === "tool" && openQuestions(part).some(({ id }) => id === refusedAnswer?.questionId),
    ),
  );
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
      {refusedAnswer && !isAsked && (
        <Notice kind="danger" title="Answer not sent">
          {Object.values(errorsOf(refusedAnswer.result)).flat()[0]}
        </Notice>
      )}
      {goneModel && (
        <Notice kind="warning" title="Model not available">
          {messages.length > 0
            ? `${goneModel}, this conversation's model, is no longer available to you.`
            : `${goneModel}, your default model, is limited to groups that you aren't in.`}{" "}
          {model} is selected instead; you can select another one under Settings.
        </Notice>
      )}
    </div>
  );
}
