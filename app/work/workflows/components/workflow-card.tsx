import { Form, Link, useNavigation } from "@remix-run/react";
import { Copy, Download, Ellipsis, History, Pencil, Play, Trash2, UserCheck } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, IconLink } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { Menu, MenuLink, MenuSubmit } from "~/ui/menu";
import { SampleOf } from "~/ui/sample-of";
import { RelativeTime } from "~/ui/time";
import type { RunState } from "../runs.schema";
import type { Workflow } from "../workflows.schema";
import { RunStateBadge, runStateLabel } from "./run-state";

interface CardWorkflow extends Omit<Workflow, "steps" | "triggers"> {
  /** Reasons why steps can't run. */
  missing: string[];
  /** What its triggers' last checks say, where they failed. */
  failing: string[];
  steps: { id: string; label: string; model?: string }[];
  triggers: { id: string; label: string; detail?: string }[];
  nextRun?: string | undefined;
  lastRun?: { id: string; state: RunState; at: string } | undefined;
}

interface WorkflowCardProps {
  workflow: CardWorkflow;
  /** Just created: highlighted. */
  fresh: boolean;
  mayWrite: boolean;
  deleteTo: string;
}

export function WorkflowCard({ workflow, fresh, mayWrite, deleteTo }: WorkflowCardProps) {
  const { id, name, description, enabled, steps, triggers, lastRun, nextRun } = workflow;
  return (
    <article
      className={cx(
        "flex h-full min-w-0 flex-col rounded-lg border bg-surface p-4 shadow-card",
        fresh ? "border-primary" : "border-line",
      )}
    >
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="line-clamp-2 break-words text-sm" title={name}>
            <Link
              to={`/workflows/${id}`}
              prefetch="intent"
              className="pointer-coarse:-my-3.5 pointer-coarse:inline-block pointer-coarse:py-3.5 hover:underline"
            >
              {name}
            </Link>
          </h2>
          {description && <p className="mt-0.5 line-clamp-2 text-muted">{description}</p>}
        </div>
        <SampleOf id={id} />
        <Badge tone={enabled ? "success" : "neutral"}>{enabled ? "Active" : "Disabled"}</Badge>
      </header>
      {workflow.pausedReason && enabled && (
        <p className="mt-2 text-warning-ink text-xs">Paused: {workflow.pausedReason}</p>
      )}
      {[...workflow.missing, ...workflow.failing].map((reason) => (
        <p key={reason} className="wrap-anywhere mt-2 text-warning-ink text-xs">
          {reason}
        </p>
      ))}
      <div className="mt-3 grid flex-1 grid-cols-1 content-start gap-3">
        <section aria-label="Steps">
          <StepList steps={steps} className="gap-1" />
          {steps.length === 0 && <p className="text-muted">No steps yet</p>}
        </section>
        <ul aria-label="Triggers" className="flex flex-wrap gap-1.5">
          {triggers.map((trigger) => (
            <li key={trigger.id} className="max-w-full" title={trigger.detail ?? undefined}>
              <Badge tone="primary">
                {trigger.detail ? `${trigger.label}: ${trigger.detail}` : trigger.label}
              </Badge>
            </li>
          ))}
        </ul>
      </div>
      {lastRun && (
        <p className="mt-3 flex items-center gap-1.5 text-muted text-xs">
          Last run
          <Link
            to={`/workflows/runs/${lastRun.id}`}
            aria-label={`Last run of ${name}: ${runStateLabel(lastRun.state)}`}
            className="flex items-center gap-1.5 hover:underline pointer-coarse:min-h-11"
          >
            <RunStateBadge state={lastRun.state} />
            <RelativeTime at={lastRun.at} style="short" />
          </Link>
        </p>
      )}
      {nextRun && <p className="mt-2 text-muted text-xs">Next run {nextRun}</p>}
      <p className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs">
        <span>
          Created <RelativeTime at={workflow.createdAt} style="date" />
        </span>
        <span aria-hidden="true">·</span>
        <span>
          Updated <RelativeTime at={workflow.updatedAt} style="date" />
        </span>
      </p>
      {mayWrite && <CardActions workflow={workflow} deleteTo={deleteTo} />}
    </article>
  );
}

interface StepListProps {
  steps: CardWorkflow["steps"];
  className: string;
  showsIds?: boolean;
}

export function StepList({ steps, className, showsIds = false }: StepListProps) {
  return (
    <ol className={cx("grid", className)}>
      {steps.map(({ id, label, model }, index) => (
        <li key={id} className="flex min-w-0 items-center gap-2">
          <span className="grid size-5 shrink-0 place-items-center rounded-full bg-active text-muted text-xs tabular-nums">
            {index + 1}
          </span>
          <span className="truncate">{label}</span>
          {showsIds && <span className="min-w-0 truncate font-mono text-muted text-xs">{id}</span>}
          {model && (
            <Badge mono className="min-w-0">
              {model}
            </Badge>
          )}
        </li>
      ))}
    </ol>
  );
}

function CardActions({ workflow, deleteTo }: Pick<WorkflowCardProps, "workflow" | "deleteTo">) {
  const { id, name, enabled, pausedReason } = workflow;
  const { formData } = useNavigation();
  const pending = formData?.get("id") === id ? formData.get("intent") : null;
  return (
    <footer className="mt-3 flex items-center gap-2 border-line border-t pt-3">
      <Form method="post" className="flex items-center gap-2">
        <input type="hidden" name="id" value={id} />
        <Button
          size="sm"
          name="intent"
          value="run"
          variant="primary"
          icon={<Play aria-hidden="true" />}
          disabled={!enabled}
          pending={pending === "run"}
          aria-label={`Run ${name}`}
        >
          Run
        </Button>
        <Button
          size="sm"
          name="intent"
          value={enabled ? "disable" : "enable"}
          pending={pending === "enable" || pending === "disable"}
          aria-label={`${enabled ? "Disable" : "Enable"} ${name}`}
        >
          {enabled ? "Disable" : "Enable"}
        </Button>
      </Form>
      <span className="flex-1" />
      <IconLink
        to={deleteTo}
        preventScrollReset
        label={`Delete ${name}`}
        icon={<Trash2 aria-hidden="true" />}
      />
      <Menu
        label={`More actions for ${name}`}
        side="top"
        button={<Ellipsis aria-hidden="true" className="size-4" />}
        buttonClassName="grid size-8 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <MenuLink
          to={`/workflows/builder?id=${id}`}
          label={`Edit ${name}`}
          icon={<Pencil aria-hidden="true" />}
        >
          Edit
        </MenuLink>
        <MenuLink to={`/workflows/runs?workflow=${id}`} icon={<History aria-hidden="true" />}>
          Runs
        </MenuLink>
        <MenuSubmit icon={<Copy aria-hidden="true" />} values={{ intent: "duplicate", id }}>
          Duplicate
        </MenuSubmit>
        <MenuLink to={`/workflows/${id}/export`} reloadDocument icon={<Download aria-hidden="true" />}>
          Export as JSON
        </MenuLink>
        {pausedReason && (
          <MenuSubmit icon={<UserCheck aria-hidden="true" />} values={{ intent: "take-over", id }}>
            Take over
          </MenuSubmit>
        )}
      </Menu>
    </footer>
  );
}
