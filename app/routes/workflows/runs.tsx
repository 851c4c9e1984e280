import { Form, useLoaderData } from "@remix-run/react";
import { History } from "lucide-react";
import { screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
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
});

const { loader } = screen({
  access: "signed-in",
  query: Query,
  load: ({ actor, query }) => ({
    ...pageRuns(actor, { ...query, limit: 50 }),
    query,
    workflows: listWorkflowNames(actor),
    mayWrite: may(actor, "workflows.write"),
  }),
});

export { loader };

export default function Runs() {
  const { runs, next, query, workflows, mayWrite } = useLoaderData<typeof loader>();
  useLiveTopics(["workflows"]);
  const address = (cursor?: string) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ workflow: query.workflow, state: query.state, cursor }))
      if (value) search.set(name, value);
    return search.size > 0 ? `/workflows/runs?${search}` : "/workflows/runs";
  };
  const isFiltered = query.state !== undefined || query.workflow !== undefined;
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
        <Button>Filter</Button>
        {isFiltered && <LinkButton to="/workflows/runs">Clear</LinkButton>}
      </Form>
      {runs.length === 0 ? (
        <EmptyState
          icon={<History />}
          title={isFiltered ? "No runs found" : "No runs yet"}
          description={
            isFiltered
              ? "Choose another workflow or state."
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
      <CursorPages first={query.cursor && address()} next={next && address(next)} nextLabel="Older Runs" />
    </>
  );
}
