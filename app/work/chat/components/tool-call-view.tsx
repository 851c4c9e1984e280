import { ChevronRight, CircleAlert, CircleCheck, CircleSlash, Hourglass, Wrench } from "lucide-react";
import { type FormEvent, type SyntheticEvent, useContext, useId, useState } from "react";
import { APPROVAL_REASON_TEXTS } from "~/ai/tools/approval-reasons.shared";
import {
  isShownImage,
  type ResultFile,
  resultFilePath,
  resultFilesOf,
} from "~/ai/tools/files/result-files.shared";
import type { Question, QuestionOutcome } from "~/ai/tools/question.schema";
import { QUESTION_MINUTES } from "~/ai/tools/question.shared";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { Button, Spinner } from "~/ui/button";
import { CallProgress, FileStrip } from "~/ui/call-parts";
import { cx } from "~/ui/class-names";
import { CopyButton } from "~/ui/copy-button";
import { Field, HiddenFields, Input, Textarea } from "~/ui/input";
import { ResultView } from "~/ui/result-view";
import { ScrollRegion } from "~/ui/scroll-region";
import { isUndecided, openQuestions } from "../answer-state.shared";
import type { FilePart, ToolPart } from "../chat.schema";
import { readPageOf } from "../read-page.shared";
import { isSharingRefusal } from "../sharing.shared";
import { ApprovalsContext, useConversationAddress } from "./conversation-provider";
import { PlainText } from "./plain-text";
import { SharingRefusal } from "./sharing";

const STATES = {
  writing: "preparing",
  waiting: "approved",
  running: "running",
  done: "done",
  failed: "failed",
} as const;

const OUTCOMES: Readonly<Record<QuestionOutcome, string>> = {
  accepted: "Continued",
  declined: "Declined",
  cancelled: "Dismissed",
  expired: `Not answered within ${QUESTION_MINUTES} minutes`,
  withdrawn: "Not answered: the call ended first",
};

/** A question that has ended, or that a restart or a stop left open. */
function AskedBefore({ question: { asker, message, url, end } }: { question: Question }) {
  const { outcome = "withdrawn", content } = end ?? {};
  return (
    <>
      <Value label={`${asker} asked`} value={url ? `${message}\n${url}` : message} />
      <Value label="Your answer" value={content ?? OUTCOMES[outcome]} />
    </>
  );
}

function StateIcon({ state, hasFailed }: { state: ToolPart["state"]; hasFailed: boolean }) {
  if (state === "failed" && !hasFailed)
    return <CircleSlash aria-hidden="true" className="size-4 text-muted" />;
  if (state === "done") return <CircleCheck aria-hidden="true" className="size-4 text-success-ink" />;
  if (state === "failed") return <CircleAlert aria-hidden="true" className="size-4 text-danger-ink" />;
  // It runs once the other calls are decided, which may take days.
  if (state === "waiting") return <Hourglass aria-hidden="true" className="size-4 text-muted" />;
  return <Spinner />;
}

function pretty(value: unknown): string {
  try {
    return toDisplayText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
  } catch {
    return "Too deeply nested to show.";
  }
}

/** JSON, also half of it, keeps its order: right-to-left text in it would mirror it. */
const directionOf = (value: unknown) =>
  typeof value === "string" && !/^\s*[[{]/.test(value) ? "auto" : "ltr";

function Value({ label, value, isResult }: { label: string; value: unknown; isResult?: boolean }) {
  const text = pretty(value);
  const plain = <PlainText text={text} dir={directionOf(value)} className="font-mono text-xs leading-5" />;
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between">
        <p className="text-muted text-xs">{label}</p>
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <ScrollRegion label={label} className="max-h-64 overflow-auto rounded-sm bg-sunken p-2">
        {isResult ? (
          <ResultView label={label} value={value} clean={toDisplayText}>
            {plain}
          </ResultView>
        ) : (
          plain
        )}
      </ScrollRegion>
    </div>
  );
}

export function ToolCallView({ part }: { part: ToolPart }) {
  const refused = isSharingRefusal(part);
  if (isUndecided(part)) return <ApprovalForm part={part} />;
  return (
    <>
      <ToolCall part={part} refused={refused} />
      <DecidedNote part={part} />
      <ReadPageLink part={part} />
      <ResultFiles part={part} />
      {refused && part.error && <SharingRefusal reason={part.error} />}
    </>
  );
}

function ReadPageLink({ part }: { part: ToolPart }) {
  const address = useConversationAddress();
  const page = part.state === "done" ? readPageOf(part.output) : undefined;
  if (!page || address === undefined) return null;
  return (
    <p className="wrap-anywhere text-muted text-xs">
      Read:{" "}
      <a
        href={withBase(`${address}/sources/${encodeURIComponent(part.toolCallId)}`)}
        className="inline-block text-primary-ink underline pointer-coarse:py-3.5"
      >
        <bdi>{toDisplayText(page.title)}</bdi>
      </a>
    </p>
  );
}

const toShown = (file: ResultFile) => ({
  ...file,
  name: toDisplayText(file.name),
  href: withBase(resultFilePath(file.id)),
  isImage: isShownImage(file),
});

/** An image that the model made in its answer. */
export function AnswerFile({ file }: { file: FilePart }) {
  if (useConversationAddress() === undefined) return null;
  return (
    <div data-answer-file="">
      <FileStrip label="Image of the answer" files={[toShown(file)]} />
    </div>
  );
}

function ResultFiles({ part }: { part: ToolPart }) {
  const address = useConversationAddress();
  if (part.state !== "done" || address === undefined) return null;
  return <FileStrip label="Files of the result" files={resultFilesOf(part.output).map(toShown)} />;
}

/** Of a call's arguments, in characters. */
const LINE_LENGTH = 300;

/** A call's arguments on one line: an only one as its value, several with their names. */
export function argumentLine(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const entries = Object.entries(input).slice(0, 20);
  const shownValue = (value: unknown) => (typeof value === "object" && value !== null ? "…" : String(value));
  const shown = entries.map(([name, value]) =>
    (entries.length === 1 ? shownValue(value) : `${name}: ${shownValue(value)}`).slice(0, LINE_LENGTH),
  );
  return toDisplayText(shown.join(", ").slice(0, LINE_LENGTH)).replaceAll(/\s+/g, " ");
}

function stateOf({ state, approval, stopped }: ToolPart, isNotRun: boolean, isAsking: boolean): string {
  if (approval?.decision === "lapsed") return "not decided, not run";
  if (isNotRun) return "not run";
  if (approval?.decision === "refused") return "refused";
  if (stopped) return "stopped";
  return isAsking ? "waiting for you" : STATES[state];
}

function ToolCall({ part, refused }: { part: ToolPart; refused: boolean }) {
  const { state, progress } = part;
  return (
    <div data-tool-call="" className="rounded-md border border-line bg-surface">
      <ToolCallDetails part={part} refused={refused} />
      {state === "running" && progress && (
        <div className="px-3 pb-2">
          <CallProgress
            value={progress.progress}
            total={progress.total}
            message={progress.message && toDisplayText(progress.message)}
          />
        </div>
      )}
    </div>
  );
}

function ToolCallDetails({ part, refused }: { part: ToolPart; refused: boolean }) {
  const isNotRun = refused || part.approval?.decision === "lapsed";
  // The person's own decision is no failure.
  const isRefusal = part.approval?.decision === "refused";
  const hasFailed = !isNotRun && !isRefusal && !part.stopped;
  const line = argumentLine(part.input);
  const isAsking = openQuestions(part).length > 0;
  const asked = part.questions?.filter(({ end }) => end || part.state !== "running") ?? [];
  return (
    <details className="group">
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-2 rounded-md px-3 py-1.5 text-sm hover:bg-hover pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span className={cx("font-medium", line ? "max-w-1/2 shrink-0 truncate" : "wrap-anywhere min-w-0")}>
          {toDisplayText(part.toolName)}
        </span>
        {line && (
          <span className="min-w-0 truncate text-muted text-xs">
            <span aria-hidden="true">· </span>
            <bdi>{line}</bdi>
          </span>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-1.5 text-muted text-xs">
          <StateIcon state={isAsking ? "waiting" : part.state} hasFailed={hasFailed} />
          {stateOf(part, isNotRun, isAsking)}
        </span>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
      </summary>
      <div className="space-y-2 border-line border-t px-3 pt-1 pb-3">
        <Value label="Parameters" value={part.input} />
        {asked.map((question) => (
          <AskedBefore key={question.id} question={question} />
        ))}
        {part.state === "done" && <Value label="Result" value={part.output} isResult />}
        {part.error !== undefined && !refused && (
          <Value label={isRefusal ? "Refusal" : part.stopped ? "Stopped" : "Error"} value={part.error} />
        )}
      </div>
    </details>
  );
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
          <dd className="wrap-anywhere max-h-40 overflow-y-auto whitespace-pre-wrap" dir={directionOf(value)}>
            {pretty(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const SUMMARY =
  "inline-flex min-h-8 cursor-pointer items-center rounded-md border border-line px-3 text-sm hover:bg-hover pointer-coarse:min-h-11";

function showOpened({ currentTarget }: SyntheticEvent<HTMLDetailsElement>): void {
  if (currentTarget.open) currentTarget.scrollIntoView({ block: "nearest" });
}

function ApprovalForm({ part }: { part: ToolPart }) {
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
    try {
      setError(await approvals.decide(new FormData(event.currentTarget, submitter)));
    } finally {
      setSending(false);
    }
  };
  const tool = toDisplayText(part.toolName);
  const isRepeat = part.approval.reason === "interrupted";
  const call = { intent: "decide-call", toolCallId: part.toolCallId };
  const decision = { size: "sm", name: "decision", disabled: busy } as const;
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
        {isRepeat && part.questions?.some(({ end }) => end?.outcome === "withdrawn") && (
          <p className="text-muted text-xs">
            It had asked you a question, which can't be answered any more. Run it again to be asked again.
          </p>
        )}
      </div>
      <Arguments input={part.input} />
      {approvals && (
        <>
          <form
            id={approving}
            method="post"
            action={withBase(approvals.action)}
            onSubmit={submit}
            data-sends-itself
          >
            <HiddenFields values={call} />
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
            <Button {...decision} form={approving} value="approve" variant="primary">
              {isRepeat ? "Run Again" : "Approve"}
            </Button>
            {!isRepeat && (
              <Button {...decision} form={approving} value="approve-for-conversation">
                Approve for This Conversation
              </Button>
            )}
            {/* A separate form: Enter in its field must not approve. */}
            <details onToggle={showOpened} className="scroll-mt-32 scroll-mb-56 open:basis-full">
              <summary className={SUMMARY}>Refuse</summary>
              <form
                method="post"
                action={withBase(approvals.action)}
                onSubmit={submit}
                data-sends-itself
                className="mt-2 flex flex-wrap items-center gap-2"
              >
                <HiddenFields values={call} />
                <Field
                  label="Reason for the model"
                  hint="Leave blank to give none"
                  className="min-w-0 flex-[1_1_14rem]"
                >
                  <Input name="reason" maxLength={1000} autoComplete="off" />
                </Field>
                <Button {...decision} value="refuse" variant="danger">
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

function DecidedNote({ part }: { part: ToolPart }) {
  if (part.state !== "waiting" || part.approval?.decision !== "approved") return null;
  return <p className="text-muted text-xs">Approved. It runs once the other calls are decided.</p>;
}
