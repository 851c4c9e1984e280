import { Form } from "@remix-run/react";
import type { JobKindView, JobView } from "~/platform/jobs/jobs.schema";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { countOf, formatCount } from "~/ui/format";
import { Cell, HeadCell, Table } from "~/ui/table";
import { RelativeTime } from "~/ui/time";

export function FailedJobs({ jobs }: { jobs: JobView[] }) {
  return (
    <Card title="Failed Jobs" description="Retry jobs that failed in the last 30 days">
      {jobs.length === 0 ? (
        <p className="text-muted text-sm">No job has failed.</p>
      ) : (
        <ul className="flex flex-col">
          {jobs.map(({ id, title, error, attempts, finishedAt }) => (
            <li
              key={id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line py-3 not-last:border-b"
            >
              <div className="min-w-0 flex-[1_1_18rem]">
                <p className="text-sm">{title}</p>
                <p className="wrap-anywhere text-muted text-xs">
                  {error ?? "No reason was recorded."} ·{" "}
                  {attempts === 1 ? "1 attempt" : `${attempts} attempts`}
                  {finishedAt && (
                    <>
                      {" "}
                      · <RelativeTime at={finishedAt} />
                    </>
                  )}
                </p>
              </div>
              <Form method="post" preventScrollReset>
                <input type="hidden" name="id" value={id} />
                <Button type="submit" size="sm" name="intent" value="retry" aria-label={`Retry: ${title}`}>
                  Retry
                </Button>
              </Form>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const SECONDS_IN = { day: 86_400, hour: 3600, minute: 60 } as const;

const DAILY = /^(\d+) (\d+) \* \* \*$/;

/** "Every 10 minutes", "Daily at 03:05", or the cron expression. */
export function dueText(every: string | null): string {
  const seconds = Number(every);
  if (every === null) return "When needed";
  const [, minute, hour] = DAILY.exec(every) ?? [];
  if (minute && hour) return `Daily at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (Number.isNaN(seconds)) return every;
  for (const [unit, length] of Object.entries(SECONDS_IN)) {
    if (seconds % length === 0) {
      const count = seconds / length;
      return count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`;
    }
  }
  return `Every ${seconds} seconds`;
}

/** Those with something to see, and all of them on demand. */
export function JobKinds({ kinds }: { kinds: JobKindView[] }) {
  const busy = kinds.filter(({ waiting, running, failed }) => waiting + running + failed > 0);
  return (
    <Card id="background-jobs" title="Background Jobs" description="Review the tasks that run automatically">
      {busy.length > 0 ? (
        <KindsTable caption="Jobs that wait, run or have failed" kinds={busy} />
      ) : (
        <p className="text-muted text-sm">No job waits or runs, and none has failed.</p>
      )}
      <details className="mt-3">
        <summary className="disclosure cursor-pointer py-1 text-muted text-sm">
          All {countOf(kinds.length, "kind")} of jobs
        </summary>
        <div className="mt-2">
          <KindsTable caption="Background jobs" kinds={kinds} />
        </div>
      </details>
    </Card>
  );
}

function KindsTable({ caption, kinds }: { caption: string; kinds: JobKindView[] }) {
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          <HeadCell>Job</HeadCell>
          <HeadCell align="right">Waiting</HeadCell>
          <HeadCell align="right">Running</HeadCell>
          <HeadCell align="right">Failed</HeadCell>
        </tr>
      </thead>
      <tbody>
        {kinds.map(({ kind, title, every, waiting, running, failed }) => (
          <tr key={kind}>
            <Cell>
              {title}
              <span className="block text-muted text-xs">{dueText(every)}</span>
            </Cell>
            <Cell align="right">{formatCount(waiting)}</Cell>
            <Cell align="right">{formatCount(running)}</Cell>
            <Cell align="right">{formatCount(failed)}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
