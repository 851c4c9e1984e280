import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
import { Cell, HeadCell, Table } from "~/ui/table";
import type { JobKindView } from "../jobs.schema";

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
