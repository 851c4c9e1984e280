import { Form } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { WorkflowVersion } from "../workflows.schema";

/** Versions shown; the API has all. */
const MAX_SHOWN = 10;

export function VersionsCard({
  versions,
  mayWrite,
}: {
  versions: readonly WorkflowVersion[];
  mayWrite: boolean;
}) {
  const newest = versions.find(({ current }) => current)?.version;
  return (
    <Card title="Versions">
      <ul className="flex flex-col divide-y divide-line">
        {versions.slice(0, MAX_SHOWN).map(({ version, current, steps, createdBy, createdAt }) => (
          <li key={version} className="flex items-center gap-2 py-2 first:pt-0 last:pb-0">
            <div className="min-w-0 flex-1">
              <p className="font-medium">
                Version {version} {current && <Badge tone="success">Current</Badge>}
              </p>
              <p className="wrap-anywhere text-muted text-xs">
                {steps} {steps === 1 ? "step" : "steps"} · {createdBy.name} ·{" "}
                <RelativeTime at={createdAt} style="short" />
              </p>
            </div>
            {!current && newest !== undefined && (
              <LinkButton
                size="sm"
                to={`?from=${version}&to=${newest}`}
                aria-label={`Compare version ${version} with the current one`}
              >
                Compare
              </LinkButton>
            )}
            {mayWrite && !current && (
              <Form method="post">
                <input type="hidden" name="version" value={version} />
                <Button size="sm" name="intent" value="restore" aria-label={`Restore version ${version}`}>
                  Restore
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
