import { Form } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { VersionChanges, WorkflowVersion } from "../workflows.schema";

const KINDS = {
  added: { label: "Added", tone: "success" },
  removed: { label: "Removed", tone: "danger" },
  changed: { label: "Changed", tone: "info" },
  moved: { label: "Moved", tone: "neutral" },
} as const;

const PARTS = { step: "Step", trigger: "Trigger", connection: "Connection" } as const;

export function VersionChangesCard({ from, to, changes, back }: VersionChanges & { back: string }) {
  return (
    <Card
      title={`Changes from version ${from} to ${to}`}
      actions={
        <LinkButton size="sm" to={back}>
          Close
        </LinkButton>
      }
    >
      {changes.length === 0 ? (
        <p className="text-muted">The two versions have the same triggers, steps and connections.</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {changes.map((change) => (
            <li
              key={`${change.part} ${change.id} ${change.kind}`}
              className="flex flex-col gap-2 py-3 first:pt-0 last:pb-0"
            >
              <p className="flex flex-wrap items-center gap-2">
                <Badge tone={KINDS[change.kind].tone}>{KINDS[change.kind].label}</Badge>
                <span className="text-muted">{PARTS[change.part]}</span>
                <span className="font-medium">{change.label}</span>
                {change.part !== "connection" && (
                  <span className="font-mono text-muted text-xs">{change.id}</span>
                )}
              </p>
              {change.kind === "changed" && <Fields fields={change.fields} />}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Fields({ fields }: Pick<VersionChanges["changes"][number], "fields">) {
  return (
    <dl className="grid gap-2">
      {fields.map(({ field, label, before, after }) => (
        <div key={field} className="grid gap-1 sm:grid-cols-[8rem_1fr_1fr]">
          <dt className="text-muted">{label}</dt>
          <Value label="Before" value={before} className="bg-danger-soft" />
          <Value label="After" value={after} className="bg-success-soft" />
        </div>
      ))}
    </dl>
  );
}

/** In characters. */
const MAX_SHOWN = 2000;

function Value({ label, value, className }: { label: string; value: string | null; className: string }) {
  return (
    <dd className={`min-w-0 rounded-md px-2 py-1 ${className}`}>
      <span className="sr-only">{label}: </span>
      <span className="whitespace-pre-wrap break-words font-mono text-xs">
        {value === null ? "Not set" : value.slice(0, MAX_SHOWN)}
        {value !== null && value.length > MAX_SHOWN && "…"}
      </span>
    </dd>
  );
}

/** The API has all. */
const MAX_VERSIONS = 10;

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
        {versions.slice(0, MAX_VERSIONS).map(({ version, current, steps, createdBy, createdAt }) => (
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
