import { Form } from "@remix-run/react";
import type { JobKindView, JobView } from "~/platform/jobs/jobs.schema";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
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

export function JobKinds({ kinds }: { kinds: JobKindView[] }) {
  return (
    <Card id="background-jobs" title="Background Jobs" description="Review the tasks that run automatically">
      <Table caption="Background jobs">
        <thead>
          <tr>
            <HeadCell>Job</HeadCell>
            <HeadCell>Due</HeadCell>
            <HeadCell align="right">Waiting</HeadCell>
            <HeadCell align="right">Running</HeadCell>
            <HeadCell align="right">Failed</HeadCell>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, title, every, waiting, running, failed }) => (
            <tr key={kind}>
              <Cell className="min-w-44">{title}</Cell>
              <Cell className="whitespace-nowrap">{dueText(every)}</Cell>
              <Cell align="right">{formatCount(waiting)}</Cell>
              <Cell align="right">{formatCount(running)}</Cell>
              <Cell align="right">{formatCount(failed)}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}
