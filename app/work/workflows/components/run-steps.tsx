import { Form } from "@remix-run/react";
import { ChevronRight, Pin } from "lucide-react";
import type { ReactNode } from "react";
import { filesIn, isShownImage, resultFilePath } from "~/ai/tools/files/result-files.shared";
import { withBase } from "~/core/base-path";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { CallProgress, FileStrip } from "~/ui/call-parts";
import { cx } from "~/ui/class-names";
import { CopyButton } from "~/ui/copy-button";
import { formatCost, formatCount, formatDuration } from "~/ui/format";
import { formatUtc, RelativeTime } from "~/ui/time";
import { type ShownStep, stepAnchor } from "../run-drawing.shared";
import type { RunDetails, RunStep } from "../runs.schema";
import { JsonValue } from "./json-value";
import { RunStateBadge } from "./run-state";

interface ListedStep extends ShownStep {
  label: string;
  /** Signed link, if the user may answer. */
  approvalUrl?: string | undefined;
}

interface RunStepsProps {
  run: Pick<RunDetails, "id" | "startedAt" | "finishedAt" | "state">;
  steps: readonly ListedStep[];
  mayAnswer: boolean;
  mayRerun: boolean;
  /** Render time in ms, where unfinished bars end. */
  now: number;
}

const COLOURS: Record<RunStep["state"], string> = {
  running: "bg-info-ink",
  waiting: "bg-warning",
  succeeded: "bg-success-ink",
  failed: "bg-danger-ink",
  skipped: "bg-muted",
  cancelled: "bg-muted",
};

/** Results shown; the API has all. */
const MAX_STEPS = 200;

/** In start order, each with its timeline bar, input, output and log. */
export function RunSteps({ run, steps, mayAnswer, mayRerun, now }: RunStepsProps) {
  const from = run.startedAt ? Date.parse(run.startedAt) : now;
  const to = Math.max(from + 1, run.finishedAt ? Date.parse(run.finishedAt) : now);
  // The first results, failures and unfinished ones.
  const visible = steps.filter(
    ({ state }, index) => index < MAX_STEPS || (state !== "succeeded" && state !== "skipped"),
  );
  const hidden = steps.length - visible.length;
  return (
    <>
      <ol aria-label="Steps" className="flex min-w-0 flex-col gap-2">
        {visible.map((step) => (
          <li key={step.key}>
            <Step
              step={step}
              mayRerun={mayRerun && run.finishedAt !== null}
              mayAnswer={mayAnswer}
              from={from}
              to={to}
            />
          </li>
        ))}
      </ol>
      {hidden > 0 && (
        <p className="mt-2 text-muted text-xs">
          {formatCount(hidden)} more steps succeeded. The API lists all of them.
        </p>
      )}
    </>
  );
}

interface StepProps {
  step: ListedStep;
  /** Whether its run has. */
  mayRerun: boolean;
  mayAnswer: boolean;
  from: number;
  to: number;
}

function Step({ step, mayRerun, mayAnswer, from, to }: StepProps) {
  const begin = Date.parse(step.startedAt);
  const end = step.finishedAt ? Date.parse(step.finishedAt) : to;
  const left = Math.min(98, Math.max(0, ((begin - from) / (to - from)) * 100));
  const width = Math.min(100 - left, Math.max(2, ((end - begin) / (to - from)) * 100));
  const isOpen = step.state === "failed" || step.state === "waiting";
  return (
    <div className="rounded-lg border border-line bg-surface shadow-card">
      <details open={isOpen} className="group/step">
        <summary className="grid min-h-11 cursor-pointer grid-cols-[1fr_auto] items-center gap-x-3 gap-y-1 px-4 py-2 sm:grid-cols-[minmax(10rem,1fr)_minmax(6rem,12rem)_auto]">
          <span className="min-w-0 truncate font-medium">
            {step.label} <span className="font-mono font-normal text-muted text-xs">{step.key}</span>
          </span>
          <span data-meter="" className="hidden h-1.5 rounded-full bg-active sm:block" aria-hidden="true">
            {!step.isKept && (
              <span
                className={cx("block h-1.5 rounded-full", COLOURS[step.state])}
                style={{ marginLeft: `${left}%`, width: `${width}%` }}
              />
            )}
          </span>
          <span className="flex items-center justify-end gap-2">
            {step.isKept ? (
              <Badge>Kept</Badge>
            ) : (
              <>
                <span className="whitespace-nowrap text-muted text-xs tabular-nums">
                  {/* How long an open step takes isn't known, and a figure would stand still. */}
                  {step.finishedAt ? (
                    formatDuration(end - begin)
                  ) : (
                    <RelativeTime at={step.startedAt} style="short" />
                  )}
                </span>
                <RunStateBadge state={step.state} />
              </>
            )}
            <ChevronRight
              aria-hidden="true"
              className="size-4 text-muted transition-transform group-open/step:rotate-90"
            />
          </span>
        </summary>
        {/* Inside `details`, so that a link opens it. */}
        <div
          id={stepAnchor(step.key)}
          className="grid scroll-mt-32 grid-cols-1 gap-3 border-line border-t px-4 py-3"
        >
          {step.error && <p className="text-danger-ink">{step.error}</p>}
          {step.state === "waiting" && <Question step={step} mayAnswer={mayAnswer} />}
          <Facts step={step} />
          <JsonValue label="Input" value={step.input} />
          {step.state === "succeeded" && <JsonValue label="Output" value={step.output} />}
          {mayAnswer && <StepActions step={step} mayRerun={mayRerun} />}
          {step.state === "succeeded" && (
            <FileStrip label="Files of the result" files={shownFiles(step.output)} />
          )}
          {step.log.length > 0 && (
            <section aria-label="Log">
              <h3 className="mb-1 text-muted text-xs">Log (UTC)</h3>
              <ul className="font-mono text-xs">
                {step.log.map(({ at, level, message }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a log only grows at its end.
                  <li key={`${at}-${index}`} className="whitespace-pre-wrap break-words">
                    <time dateTime={new Date(at).toISOString()} className="text-muted">
                      {new Date(at).toISOString().slice(11, 19)}
                    </time>{" "}
                    <span className="text-muted">{level}</span> {message}
                  </li>
                ))}
              </ul>
            </section>
          )}
        </div>
      </details>
      {step.progress && (
        <div className="px-4 pb-2">
          <CallProgress
            value={step.progress.progress}
            total={step.progress.total}
            message={step.progress.message}
          />
        </div>
      )}
    </div>
  );
}

function StepActions({
  step: { key, stepId, label, state, isOpenLoop },
  mayRerun,
}: Pick<StepProps, "step" | "mayRerun">) {
  const isOffered = mayRerun && key === stepId;
  const mayPin = state === "succeeded" && !isOpenLoop;
  if (!mayPin && !isOffered) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {mayPin && (
        <Form method="post" preventScrollReset>
          <input type="hidden" name="step" value={key} />
          <Button
            size="sm"
            name="intent"
            value="pin"
            icon={<Pin aria-hidden="true" />}
            aria-label={`Pin the output of ${label} for tries`}
          >
            Pin for Tries
          </Button>
        </Form>
      )}
      {isOffered && (
        <LinkButton
          size="sm"
          to={`?${new URLSearchParams({ dialog: "rerun", id: stepId })}`}
          preventScrollReset
          aria-label={`Run from ${label}`}
        >
          Run from Here
        </LinkButton>
      )}
    </div>
  );
}

export const shownFiles = (value: unknown) =>
  filesIn(value).map((file) => ({
    ...file,
    href: withBase(resultFilePath(file.id)),
    isImage: isShownImage(file),
  }));

function Facts({ step }: { step: ListedStep }) {
  const { attempts, branch, inputTokens, outputTokens, costMicros } = step;
  const facts = [
    attempts > 1 ? `${attempts} attempts` : null,
    step.isKept ? "Kept from the earlier run" : `Started ${step.startedAt.slice(11, 19)} UTC`,
    branch ? `Branch: ${branch}` : null,
    inputTokens !== null || outputTokens !== null
      ? `${formatCount(inputTokens ?? 0)} tokens in, ${formatCount(outputTokens ?? 0)} out`
      : null,
    costMicros ? formatCost(costMicros) : null,
  ].filter(Boolean);
  return <p className="text-muted text-xs">{facts.join(" · ")}</p>;
}

/** With buttons if the user may answer. */
function Question({ step, mayAnswer }: { step: ListedStep; mayAnswer: boolean }) {
  const { question, details } = (step.input ?? {}) as { question?: unknown; details?: unknown };
  if (step.type === "delay") return <DelayEnd step={step} />;
  if (step.type === "call_workflow") return null;
  const asked =
    step.type === "approval"
      ? { text: String(question ?? ""), details: String(details ?? ""), labels: ["Approve", "Refuse"] }
      : {
          text: "The console stopped during this step. Run it again?",
          labels: ["Run Again", "Stop the Run"],
        };
  return <Answer {...asked} step={step} mayAnswer={mayAnswer} />;
}

function DelayEnd({ step: { startedAt, input } }: { step: ListedStep }) {
  const seconds = Number((input as { seconds?: unknown } | null)?.seconds);
  if (!Number.isFinite(seconds)) return null;
  const end = Date.parse(startedAt) + seconds * 1000;
  return (
    <p>
      Continues on <time dateTime={new Date(end).toISOString()}>{formatUtc(end)}</time>
    </p>
  );
}

interface AnswerProps {
  text: string;
  details?: string;
  labels: readonly string[];
  step: ListedStep;
  mayAnswer: boolean;
}

function Answer({ text, details, labels, step, mayAnswer }: AnswerProps) {
  return (
    <div className="rounded-md border border-line p-3">
      <p className="font-medium">{text}</p>
      {details && <p className="mt-1 whitespace-pre-line text-muted">{details}</p>}
      {mayAnswer && (
        <Form method="post" className="mt-3 flex flex-wrap gap-2">
          <input type="hidden" name="step" value={step.key} />
          <Button name="intent" value="approve" variant="primary">
            {labels[0]}
          </Button>
          <Button name="intent" value="refuse">
            {labels[1]}
          </Button>
        </Form>
      )}
      {step.approvalUrl && (
        <div className="mt-3 flex items-center gap-2">
          <label htmlFor={`link-${step.key}`} className="shrink-0 text-muted text-xs">
            Link for a guest
          </label>
          <input
            readOnly
            id={`link-${step.key}`}
            className="min-h-9 w-full min-w-0 rounded-md border border-line bg-sunken px-2 font-mono text-xs"
            value={step.approvalUrl}
          />
          <CopyButton text={step.approvalUrl} label="Copy the link for a guest" />
        </div>
      )}
    </div>
  );
}

const sum = (steps: readonly RunStep[], of: (step: RunStep) => number | null) => {
  const values = steps.map(of).filter((value) => value !== null);
  return values.length > 0 ? values.reduce((total, value) => total + value, 0) : null;
};

interface RunFactsProps {
  steps: readonly ShownStep[];
  trigger: ReactNode;
  duration: string | null;
}

export function RunFacts({ steps, trigger, duration }: RunFactsProps) {
  const input = sum(steps, (step) => step.inputTokens);
  const output = sum(steps, (step) => step.outputTokens);
  const cost = sum(steps, (step) => step.costMicros);
  const ran = steps.filter(({ isKept, state }) => !isKept && state !== "skipped").length;
  const retries = steps.reduce((total, { attempts }) => total + Math.max(0, attempts - 1), 0);
  return (
    <dl className="mb-4 flex flex-wrap gap-x-8 gap-y-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-card">
      <Fact label="Trigger">{trigger}</Fact>
      <Fact label="Duration">{duration ?? "—"}</Fact>
      <Fact label="Steps run">{formatCount(ran)}</Fact>
      {retries > 0 && <Fact label="Retries">{formatCount(retries)}</Fact>}
      {(input !== null || output !== null) && (
        <Fact label="Tokens">
          {formatCount(input ?? 0)} in · {formatCount(output ?? 0)} out
        </Fact>
      )}
      {cost !== null && <Fact label="Cost">{formatCost(cost)}</Fact>}
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  );
}
