import { Badge, type Tone } from "~/ui/badge";
import { formatCost, formatDuration } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { Figures, Result, ResultRow, Run } from "../evaluations.schema";

const STATES: Record<Run["state"], [label: string, tone: Tone]> = {
  queued: ["Waiting", "neutral"],
  running: ["Running", "info"],
  done: ["Done", "success"],
  stopped: ["Stopped", "warning"],
  failed: ["Failed", "danger"],
};

export function RunState({ state }: Pick<Run, "state">) {
  const [label, tone] = STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}

/** Such as 75% (3 of 4); a dash before the first answer. */
export function passedShare({ passed, failed, errors }: Figures): string {
  const all = passed + failed + errors;
  return all === 0 ? "—" : `${Math.round((passed / all) * 100)}% (${passed} of ${all})`;
}

const COLUMNS: Record<string, (figures: Figures) => string | number> = {
  Passed: passedShare,
  Errors: ({ errors }) => errors,
  "Mean time": ({ meanMs }) => (meanMs === null ? "—" : formatDuration(meanMs)),
  Cost: ({ costMicros }) => (costMicros === null ? "Unknown" : formatCost(costMicros)),
};

export function FiguresTable({ run: { subjects, figures } }: { run: Run }) {
  return (
    <Table caption="Figures of each subject" stacks>
      <thead>
        <tr>
          <HeadCell>Subject</HeadCell>
          {Object.keys(COLUMNS).map((name) => (
            <HeadCell key={name} align="right">
              {name}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {figures.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same subject may stand there twice
          <TableRow key={at}>
            <Cell className="wrap-anywhere min-w-40">{subjects[at]?.label}</Cell>
            {Object.entries(COLUMNS).map(([name, show]) => (
              <Cell key={name} label={name} align="right" className="whitespace-nowrap tabular-nums">
                {show(one)}
              </Cell>
            ))}
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}

const OUTCOMES: Record<NonNullable<Result["outcome"]>, [label: string, tone: Tone]> = {
  passed: ["Passed", "success"],
  failed: ["Failed", "warning"],
  error: ["Error", "danger"],
};

/** In characters; longer answers are folded. */
const BRIEF = 160;

function Answer({ result, label }: { result: Result | null; label: string }) {
  if (!result) return <span className="text-muted">Not asked yet</span>;
  const { outcome, answer, reasons, costMicros, durationMs } = result;
  const [name, tone] = outcome === null ? (["Being judged", "info"] as const) : OUTCOMES[outcome];
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs tabular-nums">
        <Badge tone={tone}>{name}</Badge>
        {answer !== null && formatDuration(durationMs)}
        {costMicros !== null && <span>{formatCost(costMicros)}</span>}
      </p>
      {reasons.map((reason) => (
        <p key={reason} dir="auto" className="wrap-anywhere text-xs">
          {reason}
        </p>
      ))}
      {answer !== null && answer.length <= BRIEF && (
        <p dir="auto" className="whitespace-pre-wrap wrap-anywhere text-muted text-xs">
          {answer || "Empty answer"}
        </p>
      )}
      {answer !== null && answer.length > BRIEF && (
        <details className="text-xs">
          <summary dir="auto" className="wrap-anywhere cursor-pointer text-muted">
            <span className="sr-only">Answer of {label}: </span>
            {answer.slice(0, BRIEF)}…
          </summary>
          <p dir="auto" className="mt-1 whitespace-pre-wrap wrap-anywhere">
            {answer}
          </p>
        </details>
      )}
    </div>
  );
}

/** Questions in rows, subjects in columns. */
export function ResultsTable({ run: { subjects }, rows }: { run: Run; rows: readonly ResultRow[] }) {
  return (
    <Table caption="Answers" stacks>
      <thead>
        <tr>
          <HeadCell>Question</HeadCell>
          {subjects.map(({ label }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same subject may stand there twice
            <HeadCell key={at}>{label}</HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ position, question, results }) => (
          <TableRow key={position}>
            <Cell className="min-w-40 max-w-80 align-top!">
              <span dir="auto" className="line-clamp-6 wrap-anywhere" title={question}>
                {question}
              </span>
            </Cell>
            {results.map((result, at) => (
              <Cell
                // biome-ignore lint/suspicious/noArrayIndexKey: the subject's position
                key={at}
                label={subjects[at]?.label ?? ""}
                className="min-w-60 align-top! max-sm:col-span-full"
              >
                <Answer result={result} label={subjects[at]?.label ?? ""} />
              </Cell>
            ))}
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}
