import { Form } from "@remix-run/react";
import { Square } from "lucide-react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
import type { CheckRun } from "~/work/search/evaluation/retrieval-check.schema";
import { ProgressBar } from "../progress-bar";

export function RunningCheck({ running, mayWrite }: { running: CheckRun; mayWrite: boolean }) {
  const { done, total } = running;
  return (
    <Card
      title={running.reason === "switch" ? "Comparing the new index with the current one" : "Checking"}
      actions={
        mayWrite && (
          <Form method="post" preventScrollReset>
            <Button size="sm" name="intent" value="stop" icon={<Square aria-hidden="true" />}>
              Stop
            </Button>
          </Form>
        )
      }
    >
      <ProgressBar label="Retrieval Check" done={done} total={total} />
      <p className="mt-1.5 text-muted text-xs tabular-nums">
        {formatCount(done)} of {formatCount(total)} searches
      </p>
      <noscript>
        <meta httpEquiv="refresh" content="2" />
      </noscript>
    </Card>
  );
}
