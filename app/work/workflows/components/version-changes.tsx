import { Form } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { cx } from "~/ui/class-names";
import { RelativeTime } from "~/ui/time";
import type { ChangeDrawing, ChangedNode, DrawnChange } from "../run-drawing.shared";
import type { VersionChanges, WorkflowVersion } from "../workflows.schema";
import { PartIcon } from "./builder/part-icon";
import { Graph } from "./run-graph";

const KINDS = {
  added: { label: "Added", tone: "success" },
  removed: { label: "Removed", tone: "danger" },
  changed: { label: "Changed", tone: "info" },
  moved: { label: "Moved", tone: "neutral" },
} as const;

const PARTS = { step: "Step", trigger: "Trigger", connection: "Connection" } as const;

interface VersionChangesProps extends VersionChanges {
  drawing: ChangeDrawing | undefined;
  mayWrite: boolean;
  back: string;
}

export function VersionChangesCard({ from, to, changes, drawing, mayWrite, back }: VersionChangesProps) {
  return (
    <Card
      title={`Changes from version ${from} to ${to}`}
      actions={
        <>
          {mayWrite && <RestoreButton version={from} label={`Restore version ${from}`} />}
          <LinkButton size="sm" to={back}>
            Close
          </LinkButton>
        </>
      }
    >
      {drawing && changes.length > 0 && <PartGraph label="Graph of the changes" drawing={drawing} />}
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
                <span className="wrap-anywhere font-medium">{change.label}</span>
                {change.part !== "connection" && (
                  <span className="wrap-anywhere font-mono text-muted text-xs">{change.id}</span>
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

/** Colors of changed boxes and lines; each box names its change too. */
const DRAWN: Record<DrawnChange, { box: string; line: string }> = {
  added: { box: "border-success-ink bg-success-soft", line: "stroke-success-ink" },
  removed: { box: "border-danger-ink border-dashed bg-danger-soft", line: "stroke-danger-ink" },
  changed: { box: "border-info-ink bg-info-soft", line: "stroke-edge" },
  moved: { box: "border-edge bg-surface", line: "stroke-edge" },
  same: { box: "border-line bg-surface", line: "stroke-edge" },
};

interface PartGraphProps {
  label: string;
  drawing: ChangeDrawing;
}

/** One version, or two in one graph. */
export function PartGraph({ label, drawing: { nodes, lines, ...size } }: PartGraphProps) {
  return (
    <Graph
      label={label}
      className="mb-4 max-h-[32rem]"
      {...size}
      nodes={nodes.map((node) => ({ ...node, content: <ChangedBox node={node} /> }))}
      lines={lines.map(({ change, ...line }) => ({
        ...line,
        className: cx(DRAWN[change].line, "forced-colors:stroke-[CanvasText]"),
        width: change === "same" ? 1.5 : 2,
        isDashed: change === "removed",
        level: Number(change !== "same"),
      }))}
    />
  );
}

function ChangedBox({ node: { id, title, type, kind, icon, change } }: { node: ChangedNode }) {
  return (
    <span
      title={title}
      className={cx(
        "flex size-full items-center gap-2.5 rounded-md border px-2.5 shadow-card",
        DRAWN[change].box,
      )}
    >
      <span className="max-sm:hidden">
        <PartIcon type={{ icon, node: kind }} />
      </span>
      <span className="min-w-0">
        <span
          className={cx(
            "block truncate font-medium text-ink text-sm",
            change === "removed" && "line-through",
          )}
        >
          {title}
        </span>
        {/* A part without a name of its own is titled by its type. */}
        <span className="block truncate text-xs">
          {change !== "same" ? KINDS[change].label : title === type ? id : type}
        </span>
      </span>
    </span>
  );
}

function RestoreButton({ version, label }: { version: number; label: string }) {
  return (
    <Form method="post">
      <input type="hidden" name="version" value={version} />
      <Button size="sm" name="intent" value="restore" aria-label={label}>
        Restore
      </Button>
    </Form>
  );
}

function Fields({ fields }: Pick<VersionChanges["changes"][number], "fields">) {
  return (
    <dl className="grid grid-cols-1 gap-2">
      {fields.map(({ field, label, before, after }) => (
        <div key={field} className="grid grid-cols-1 gap-1 sm:grid-cols-[8rem_1fr_1fr]">
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
            {mayWrite && !current && <RestoreButton version={version} label={`Restore version ${version}`} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}
