import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { JobView } from "../jobs.schema";

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
