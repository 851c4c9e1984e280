import { type FormEvent, type SyntheticEvent, useContext, useId, useState } from "react";
import { APPROVAL_REASON_TEXTS } from "~/ai/tools/approval-reasons.schema";
import { toDisplayText } from "~/core/well-formed";
import { Button } from "~/ui/button";
import { Field, Input, Textarea } from "~/ui/input";
import type { ToolPart } from "../chat.schema";
import { ApprovalsContext } from "./conversation-provider";
import { sendDecision } from "./send-decision";

function readable(value: unknown): string {
  return toDisplayText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
}

function Arguments({ input }: { input: unknown }) {
  const entries = Object.entries(typeof input === "object" && input !== null ? input : { input });
  if (entries.length === 0) return <p className="text-muted text-xs">No arguments</p>;
  return (
    <dl className="grid gap-x-3 gap-y-1 text-sm sm:grid-cols-[minmax(4rem,max-content)_minmax(0,1fr)]">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="wrap-anywhere text-muted">
            <bdi>{toDisplayText(name)}</bdi>
          </dt>
          <dd className="wrap-anywhere max-h-40 overflow-y-auto whitespace-pre-wrap" dir="auto">
            {readable(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const SUMMARY =
  "inline-flex min-h-8 cursor-pointer items-center rounded-md border border-line px-3 text-sm hover:bg-hover pointer-coarse:min-h-11";

/** Scrolls an opened form above the composer. */
function showOpened({ currentTarget }: SyntheticEvent<HTMLDetailsElement>): void {
  if (currentTarget.open) currentTarget.scrollIntoView({ block: "nearest" });
}

function CallFields({ part }: { part: ToolPart }) {
  return (
    <>
      <input type="hidden" name="intent" value="decide-call" />
      <input type="hidden" name="toolCallId" value={part.toolCallId} />
    </>
  );
}

export function ApprovalForm({ part }: { part: ToolPart }) {
  const approvals = useContext(ApprovalsContext);
  const refused = approvals?.refused?.toolCallId === part.toolCallId ? approvals.refused : undefined;
  const [error, setError] = useState(refused?.error);
  const [sending, setSending] = useState(false);
  const busy = sending || approvals?.isAnswering;
  const approving = useId();
  if (!part.approval) return null;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!approvals?.decide) return;
    event.preventDefault();
    setSending(true);
    setError(await approvals.decide(new FormData(event.currentTarget, submitter), sendDecision));
    setSending(false);
  };
  const tool = toDisplayText(part.toolName);
  const isRepeat = part.approval.reason === "interrupted";
  return (
    <section
      data-tool-call=""
      aria-label={`Approve ${tool}`}
      className="space-y-3 rounded-md border border-warning-ink bg-surface p-3"
    >
      <div>
        <p className="wrap-anywhere font-medium text-sm">
          {tool} {isRepeat ? "was interrupted" : "is waiting for your approval"}
        </p>
        <p className="text-muted text-xs">{APPROVAL_REASON_TEXTS[part.approval.reason]}</p>
      </div>
      <Arguments input={part.input} />
      {approvals && (
        <>
          <form id={approving} method="post" action={approvals.action} onSubmit={submit} data-sends-itself>
            <CallFields part={part} />
            <details
              open={error !== undefined || undefined}
              onToggle={showOpened}
              className="scroll-mt-32 scroll-mb-56"
            >
              <summary className={SUMMARY}>Edit Arguments</summary>
              <Field label="Arguments as JSON" error={error} className="mt-2">
                <Textarea
                  name="input"
                  rows={6}
                  spellCheck={false}
                  className="font-mono text-xs"
                  defaultValue={refused?.input ?? JSON.stringify(part.input ?? {}, null, 2)}
                />
              </Field>
            </details>
          </form>
          <div className="flex flex-wrap gap-2">
            <Button
              size="sm"
              form={approving}
              name="decision"
              value="approve"
              variant="primary"
              disabled={busy}
            >
              {isRepeat ? "Run Again" : "Approve"}
            </Button>
            {!isRepeat && (
              <Button
                size="sm"
                form={approving}
                name="decision"
                value="approve-for-conversation"
                disabled={busy}
              >
                Approve for This Conversation
              </Button>
            )}
            {/* A separate form: Enter in its field must not approve. */}
            <details onToggle={showOpened} className="scroll-mt-32 scroll-mb-56 open:basis-full">
              <summary className={SUMMARY}>Refuse</summary>
              <form
                method="post"
                action={approvals.action}
                onSubmit={submit}
                data-sends-itself
                className="mt-2 flex flex-wrap items-center gap-2"
              >
                <CallFields part={part} />
                <Field
                  label="Reason for the model"
                  hint="Leave blank to give none"
                  className="min-w-0 flex-[1_1_14rem]"
                >
                  <Input name="reason" maxLength={1000} autoComplete="off" />
                </Field>
                <Button size="sm" name="decision" value="refuse" variant="danger" disabled={busy}>
                  Refuse Call
                </Button>
              </form>
            </details>
          </div>
        </>
      )}
    </section>
  );
}

export function DecidedNote({ part }: { part: ToolPart }) {
  if (part.state !== "waiting" || part.approval?.decision !== "approved") return null;
  return <p className="text-muted text-xs">Approved. It runs once the other calls are decided.</p>;
}
