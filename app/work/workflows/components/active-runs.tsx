import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { Sample } from "~/ui/badge";
import { countOf } from "~/ui/format";
import type { ActiveRun, RunState } from "../runs.schema";
import { RunStateBadge } from "./run-state";

interface RunProgressProps {
  name: ReactNode;
  label: string;
  state: RunState;
  percent: number;
  note: ReactNode;
}

function RunProgress({ name, label, state, percent, note }: RunProgressProps) {
  return (
    <li className="py-2.5">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <RunStateBadge state={state} />
      </div>
      <div
        role="progressbar"
        aria-label={`Progress of ${label}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="mt-1.5 h-1 overflow-hidden rounded-full bg-active"
      >
        <div className="h-full rounded-full bg-primary-ink" style={{ width: `${percent}%` }} />
      </div>
      <p className="mt-1 text-muted text-xs tabular-nums">{note}</p>
    </li>
  );
}

/** Active runs with finished and total steps. */
export function ActiveRuns({ runs }: { runs: readonly ActiveRun[] }) {
  return (
    <ul aria-label="Active runs" className="-my-2.5 divide-y divide-line">
      {runs.map(({ id, workflowName, state, done, total }) => (
        <RunProgress
          key={id}
          name={
            <Link
              to={`/workflows/runs/${id}`}
              title={workflowName}
              className="underline-offset-4 hover:underline pointer-coarse:inline-block pointer-coarse:py-2"
            >
              {workflowName}
            </Link>
          }
          label={workflowName}
          state={state}
          percent={total > 0 ? Math.min(100, Math.round((done / total) * 100)) : 0}
          note={`${done} of ${countOf(total, "step")}`}
        />
      ))}
    </ul>
  );
}

/** Shown until there is a workflow (console.md, section 2). */
const SAMPLES = [
  { name: "Daily report", state: "running", percent: 65 },
  { name: "Document sync", state: "queued", percent: 0 },
] as const;

export function SampleRuns() {
  return (
    <ul aria-label="Sample runs" className="-my-2.5 divide-y divide-line text-muted">
      {SAMPLES.map(({ name, state, percent }) => (
        <RunProgress
          key={name}
          name={name}
          label={`the sample ${name}`}
          state={state}
          percent={percent}
          note={
            <>
              {percent}% <Sample />
            </>
          }
        />
      ))}
    </ul>
  );
}
