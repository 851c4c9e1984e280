import { Link } from "@remix-run/react";
import { withBase } from "~/core/base-path";
import { Button } from "~/ui/button";
import { canGoOn, isRefused } from "../answer-state.shared";
import type { ChatMessage } from "../chat.schema";
import { useBranching } from "./branching";
import { preloadMarkdown } from "./markdown-reader";

/** What its reader can do about an answer that failed or was cut off. */
export function GoingOn({ message }: { message: ChatMessage }) {
  const branching = useBranching(message);
  if (!branching) return null;
  const { lengthReached, outputLimit } = message.metrics ?? {};
  const raises = lengthReached && !outputLimit?.byContext ? branching.limitAt : undefined;
  const offers = [
    ...(canGoOn(message) ? [{ intent: "continue", label: "Continue", onSend: branching.onContinue }] : []),
    ...(message.status === "failed" && !isRefused(message)
      ? [{ intent: "regenerate", label: "Retry", onSend: branching.onRegenerate }]
      : []),
  ];
  if (offers.length === 0 && !raises) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs print:hidden">
      {offers.map(({ intent, label, onSend }) => (
        <form
          key={intent}
          method="post"
          action={withBase(branching.action)}
          onSubmit={(event) => {
            event.preventDefault();
            preloadMarkdown();
            onSend(message.id);
          }}
        >
          <input type="hidden" name="messageId" value={message.id} />
          <Button name="intent" value={intent} size="sm" disabled={branching.busy}>
            {label}
          </Button>
        </form>
      ))}
      {raises && (
        <Link
          to={raises}
          className="inline-flex min-h-8 items-center text-primary-ink underline pointer-coarse:min-h-11"
        >
          Raise Max tokens
        </Link>
      )}
    </div>
  );
}
