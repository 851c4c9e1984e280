import { Form, useLoaderData } from "@remix-run/react";
import { History } from "lucide-react";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { ActiveFilters } from "~/ui/active-filters";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { formatDuration } from "~/ui/format";
import { Field, Select } from "~/ui/input";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { SampleOf } from "~/ui/sample-of";
import { PageTabs } from "~/ui/tabs";
import { RelativeTime } from "~/ui/time";
import { RunStateBadge, runStateLabel, triggerLabel } from "~/work/workflows/components/run-state";
import { workflowTabs } from "~/work/workflows/components/workflow-tabs";
import { RunQuery } from "~/work/workflows/runs.schema";
import { pageRuns } from "~/work/workflows/runs.service.server";
import { listWorkflowNames } from "~/work/workflows/workflows.service.server";
import { RUN_STATES } from "~/work/workflows/workflows.shared";

export const meta = pageTitle("Runs · Workflows");

/** Empty means all. */
const Query = RunQuery.extend({
  state: RunQuery.shape.state.catch(undefined),
  workflow: RunQuery.shape.workflow.transform((id) => id || undefined),
  from: RunQuery.shape.from.catch(undefined),
  before: RunQuery.shape.before.catch(undefined),
});

/** Such as "Nov 29, 14:00 to 15:00", in the organization's time zone. */
function spanOf(
  { orgId }: Pick<Actor, "orgId">,
  { from, before }: z.infer<typeof Query>,
): string | undefined {
  if (from === undefined && before === undefined) return undefined;
  const format = new Intl.DateTimeFormat("en-US", {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: orgTimeZone(orgId),
  });
  if (from === undefined) return `before ${format.format(Date.parse(before ?? ""))}`;
  if (before === undefined) return `since ${format.format(Date.parse(from))}`;
  return format.formatRange(Date.parse(from), Date.parse(before));
}

const { loader } = screen({
  access: "signed-in",
  query: Query,
  load: ({ actor, query }) => ({
    ...pageRuns(actor, { ...query, limit: 50 }),
    query,
    span: spanOf(actor, query),
    workflows: listWorkflowNames(actor),
    mayWrite: may(actor, "workflows.write"),
  }),
});

export { loader };

export default function Runs() {
  const { runs, next, query, span, workflows, mayWrite } = useLoaderData<typeof loader>();
  useLiveTopics(["workflows"]);
  const { workflow, state, from, before } = query;
  const address = (changes: Partial<Record<"from" | "before" | "cursor", string | undefined>>) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ workflow, state, from, before, ...changes }))
      if (value) search.set(name, value);
    return search.size > 0 ? `/workflows/runs?${search}` : "/workflows/runs";
  };
  const isFiltered = state !== undefined || workflow !== undefined || span !== undefined;
  return (
    <>
      <PageHeader title="Workflows" subtitle="See what ran, its results and errors" />
      <PageTabs label="Workflows" tabs={workflowTabs("runs", mayWrite)} />
      <Form method="get" className="mb-4 flex flex-wrap items-end gap-2">
        <Field label="Workflow" name="workflow" className="w-full sm:w-64">
          <Select key={query.workflow} defaultValue={query.workflow ?? ""}>
            <option value="">All workflows</option>
            {workflows.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="State" name="state">
          <Select key={query.state} defaultValue={query.state ?? ""}>
            <option value="">All states</option>
            {RUN_STATES.map((state) => (
              <option key={state} value={state}>
                {runStateLabel(state)}
              </option>
            ))}
          </Select>
        </Field>
        {from && <input type="hidden" name="from" value={from} />}
        {before && <input type="hidden" name="before" value={before} />}
        <Button>Filter</Button>
        {isFiltered && <LinkButton to="/workflows/runs">Clear</LinkButton>}
      </Form>
      <ActiveFilters
        filters={
          span === undefined
            ? []
            : [{ name: "started", value: span, without: address({ from: undefined, before: undefined }) }]
        }
      />
      {runs.length === 0 ? (
        <EmptyState
          icon={<History />}
          title={isFiltered ? "No runs found" : "No runs yet"}
          description={
            isFiltered
              ? "Choose another workflow, state or time."
              : mayWrite
                ? "Run a workflow, or wait for its schedule or webhook."
                : "Runs are listed here once a workflow is started by a member, its schedule or a webhook."
          }
          action={
            isFiltered ? (
              <LinkButton to="/workflows/runs">Show All Runs</LinkButton>
            ) : (
              <LinkButton to="/workflows">Open Workflows</LinkButton>
            )
          }
        />
      ) : (
        <RowList label="Runs">
          {runs.map((run) => (
            <Row
              key={run.id}
              name={run.workflowName}
              to={`/workflows/runs/${run.id}`}
              meta={
                <>
                  {triggerLabel(run.trigger.type)}
                  {run.startedBy && ` · ${run.startedBy.name}`} ·{" "}
                  <RelativeTime at={run.createdAt} style="short" />
                  {run.durationMs !== null && <> · {formatDuration(run.durationMs)}</>}
                  {run.error && ` · ${run.error}`}
                </>
              }
              badges={<SampleOf id={run.workflowId} />}
              state={<RunStateBadge state={run.state} />}
            />
          ))}
        </RowList>
      )}
      <CursorPages
        first={query.cursor && address({})}
        next={next && address({ cursor: next })}
        nextLabel="Older Runs"
      />
    </>
  );
}
