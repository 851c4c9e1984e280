import { Form, useNavigation } from "@remix-run/react";
import { ChevronRight, Gauge } from "lucide-react";
import type { ContextUse } from "~/ai/tools/answer-stream.schema";
import { toDisplayText } from "~/core/well-formed";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
import { Textarea } from "~/ui/input";
import type { ContextSummary } from "../context/context.schema";
import { CONTEXT_ROWS, contextShare, contextTokens } from "../context/context-use.shared";

/** What fills the context of the model that answered last. */
export function ContextGauge({ use, model }: { use: ContextUse; model: string }) {
  const share = contextShare(use);
  return (
    <Card title="Context" icon={<Gauge aria-hidden="true" />}>
      <div className="space-y-3 text-sm" data-context-gauge="">
        <p>
          About {formatCount(contextTokens(use))}
          {use.length !== undefined && ` of ${formatCount(use.length)}`} tokens
          {share !== undefined && ` (${share}%)`}, after the last answer of {model}
        </p>
        {share !== undefined && (
          <div
            aria-hidden="true"
            className="h-1.5 overflow-hidden rounded-full bg-active forced-colors:border"
          >
            <div
              className="h-full rounded-full bg-primary forced-colors:bg-[CanvasText]"
              style={{ width: `${share}%` }}
            />
          </div>
        )}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 [&_dd]:text-right [&_dd]:tabular-nums [&_dt]:text-muted">
          {CONTEXT_ROWS.filter(([key]) => use[key] > 0).map(([key, label]) => (
            <div key={key} className="contents">
              <dt>{label}</dt>
              <dd>{formatCount(use[key])}</dd>
            </div>
          ))}
        </dl>
        {use.problem && (
          <p className="wrap-anywhere text-warning-ink">Earlier messages not summarized: {use.problem}</p>
        )}
      </div>
    </Card>
  );
}

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
      {/* A summary that was saved or written anew begins with its own text. */}
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
