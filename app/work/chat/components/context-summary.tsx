import { Form, useNavigation } from "@remix-run/react";
import { ChevronRight } from "lucide-react";
import { toDisplayText } from "~/core/well-formed";
import { Button } from "~/ui/button";
import { formatCount } from "~/ui/format";
import { Textarea } from "~/ui/input";
import type { ContextSummary } from "../context/context.schema";

interface SummaryProps {
  action: string;
  summary: ContextSummary;
}

/** Below the last message that models are sent as a part of the summary. */
export function ConversationSummary({ action, summary }: SummaryProps) {
  const { messageId, text, model, tokens, edited } = summary;
  const isSaving = useNavigation().formData?.get("messageId") === messageId;
  return (
    <details
      id={`summary-${messageId}`}
      data-summary=""
      className="group/summary scroll-mt-32 rounded-lg border border-line print:hidden"
    >
      <summary className="flex min-h-11 cursor-pointer items-center gap-2 px-4 py-2 text-muted text-xs hover:text-ink">
        <span className="min-w-0 flex-1 text-pretty">
          Models are sent a summary of the messages above, in place of about {formatCount(tokens)} tokens
        </span>
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 transition-transform group-open/summary:rotate-90"
        />
      </summary>
      {/* A summary that was saved or written again begins with its own text. */}
      <Form
        key={text}
        method="post"
        action={action}
        preventScrollReset
        className="space-y-3 border-line border-t p-4"
      >
        <input type="hidden" name="messageId" value={messageId} />
        <Textarea
          name="text"
          aria-label="Summary"
          defaultValue={toDisplayText(text)}
          required
          maxLength={20_000}
          rows={6}
          className="field-sizing-content max-h-[60dvh]"
        />
        <div className="flex flex-wrap items-center gap-2">
          <p className="wrap-anywhere min-w-0 flex-1 basis-48 text-muted text-xs">
            Written by {toDisplayText(model)}
            {edited && ", edited by you"}. Undo it to send the messages again, as long as they fit.
          </p>
          <Button
            name="intent"
            value="undo-summary"
            size="sm"
            variant="ghost"
            formNoValidate
            disabled={isSaving}
          >
            Undo Summary
          </Button>
          <Button name="intent" value="edit-summary" size="sm" disabled={isSaving}>
            Save
          </Button>
        </div>
      </Form>
    </details>
  );
}
