import { Form, type MetaArgs, useLoaderData } from "@remix-run/react";
import { Download, Ellipsis, Pencil, Play, Power, PowerOff, Trash2 } from "lucide-react";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { listBudgetWarnings } from "~/team/budgets/budgets.service.server";
import { BudgetWarnings } from "~/team/budgets/components/budget-warnings";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { cx } from "~/ui/class-names";
import { RecordDialog } from "~/ui/confirm-dialog";
import { FAILURES } from "~/ui/failures";
import { countOf } from "~/ui/format";
import { Menu, MenuLink, MenuSubmit } from "~/ui/menu";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import { RunStateBadge, triggerLabel } from "~/work/workflows/components/run-state";
import { TriggersCard } from "~/work/workflows/components/triggers-card";
import { PartGraph, VersionChangesCard, VersionsCard } from "~/work/workflows/components/version-changes";
import { StepList } from "~/work/workflows/components/workflow-card";
import { ChangeAddressDialog, DeleteWorkflowDialog } from "~/work/workflows/components/workflow-dialogs";
import { listWebhooks, rotateWebhook } from "~/work/workflows/hooks.service.server";
import { checkNow } from "~/work/workflows/polls/polls.service.server";
import { drawChanges, drawWorkflow } from "~/work/workflows/run-drawing.service.server";
import { pageRuns, runWorkflow } from "~/work/workflows/runs.service.server";
import {
  describePolls,
  describeWorkflow,
  listRecentCalls,
  nextDueTimes,
  webhookCalls,
} from "~/work/workflows/screen.service.server";
import { compareVersions } from "~/work/workflows/versions.service.server";
import {
  deleteWorkflow,
  listVersions,
  readWorkflow,
  restoreVersion,
  takeOverWorkflow,
  updateWorkflow,
} from "~/work/workflows/workflows.service.server";
import { isFormPath } from "~/work/workflows/workflows.shared";

export const meta = (args: MetaArgs<typeof loader>) =>
  pageTitle(`${args.data?.workflow.name ?? "Workflow"} · Workflows`)(args as never);

const FAILED = { toast: FAILURES.updateWorkflow };
const idOf = (params: Readonly<Record<string, string | undefined>>) => params.workflowId ?? "";

/** An action on the workflow. @param field the form field whose value `run` gets as its target */
const act = <R,>(
  run: (actor: Actor, id: string, target: string) => R,
  done: string | ((result: R) => string),
  field?: string,
) =>
  intent({
    access: "workflows.write",
    ...(field ? { target: field } : {}),
    run: ({ actor, params, target }) => run(actor, idOf(params), target),
    done,
    failed: FAILED,
  });

const Version = z.coerce.number().int().min(1).catch(0);

const VersionNumber = z.coerce.number().int().min(1).optional().catch(undefined);

const Query = z.object({
  /** Invalid versions are ignored. */
  from: VersionNumber,
  to: VersionNumber,
  dialog: z.enum(["delete", "rotate"]).optional().catch(undefined),
  id: z.string().max(80).optional().catch(undefined),
});

function compare(actor: Actor, id: string, from: number, to: number) {
  const changes = compareVersions(actor, id, from, to);
  return { ...changes, drawing: drawChanges(actor, id, changes) };
}

const { loader, action } = screen({
  access: "signed-in",
  query: Query,
  load: ({ actor, params, query, context }) => {
    const workflow = readWorkflow(actor, idOf(params));
    const mayWrite = may(actor, "workflows.write");
    const webhooks = (mayWrite ? listWebhooks(actor, workflow.id) : []).map((hook) => ({
      ...hook,
      isForm: isFormPath(hook.path),
      address: `${context.origin}${hook.path}`,
    }));
    const addresses = Object.fromEntries(webhooks.map(({ triggerId, address }) => [triggerId, address]));
    const calls = mayWrite ? webhookCalls(actor, workflow, addresses) : {};
    return {
      workflow: describeWorkflow(actor, workflow),
      dueTimes: nextDueTimes(actor, workflow),
      webhooks: webhooks.map((hook) => ({ ...hook, curl: calls[hook.triggerId] })),
      calls: mayWrite ? listRecentCalls(actor, workflow.id) : [],
      drawing: drawWorkflow(actor, workflow),
      polls: mayWrite ? describePolls(actor, workflow.id) : [],
      versions: listVersions(actor, workflow.id),
      compared: query.from && query.to && compare(actor, workflow.id, query.from, query.to),
      runs: pageRuns(actor, { workflow: workflow.id, limit: 5 }).runs,
      budgetWarnings: listBudgetWarnings({ ...actor, workflowId: workflow.id }, ["workflow"]),
      mayWrite,
      mayManageBudgets: may(actor, "budgets.manage"),
      dialog: mayWrite ? query.dialog : undefined,
      rotated: webhooks.find(({ triggerId }) => triggerId === query.id),
    };
  },
  actions: {
    run: intent({
      access: "workflows.write",
      run: ({ actor, params }) => runWorkflow(actor, idOf(params), {}),
      done: ({ id }) => ({ to: `/workflows/runs/${id}`, toast: "Workflow started successfully" }),
      failed: { toast: FAILURES.runWorkflow },
    }),
    enable: act((actor, id) => updateWorkflow(actor, id, { enabled: true }), "Workflow enabled"),
    disable: act((actor, id) => updateWorkflow(actor, id, { enabled: false }), "Workflow disabled"),
    delete: intent({
      access: "workflows.write",
      run: ({ actor, params }) => deleteWorkflow(actor, idOf(params)),
      done: () => ({ to: "/workflows", toast: "Workflow deleted" }),
      failed: { dialog: FAILURES.deleteWorkflow },
      back: () => "/workflows",
    }),
    "take-over": act((actor, id) => takeOverWorkflow(actor, id), "You took over the workflow"),
    rotate: act(
      (actor, id, trigger) => rotateWebhook(actor, id, trigger),
      ({ path }) => `${isFormPath(path) ? "Form" : "Webhook"} address changed. The old one no longer works.`,
      "trigger",
    ),
    check: act((actor, id, trigger) => checkNow(actor, id, trigger), "Checking now", "trigger"),
    restore: act(
      (actor, id, version) => restoreVersion(actor, id, Version.parse(version)),
      ({ version }) => `Restored as version ${version}`,
      "version",
    ),
  },
});

export { action, loader };

/** In characters; a longer description is folded. */
const LONG = 300;

function Description({ text }: { text: string }) {
  const place = "-mt-3 mb-6 max-w-3xl sm:-mt-5 text-pretty text-muted";
  if (text.length <= LONG) return <p className={place}>{text}</p>;
  return (
    <details className={cx("group", place)}>
      <summary className="disclosure cursor-pointer before:float-start before:mt-2">
        <span className="group-open:line-clamp-none line-clamp-3 wrap-anywhere">{text}</span>
      </summary>
    </details>
  );
}

export default function WorkflowItem() {
  const { workflow, drawing, dueTimes, webhooks, calls, polls, versions } = useLoaderData<typeof loader>();
  const { compared, runs, budgetWarnings, mayManageBudgets, mayWrite, dialog, rotated } =
    useLoaderData<typeof loader>();
  useLiveTopics(["workflows"]);
  const address = usePageAddress();
  return (
    <>
      <PageHeader
        title={workflow.name}
        subtitle={
          workflow.description ? undefined : "Manage the triggers, steps, versions and runs of this workflow"
        }
        actions={mayWrite && <WorkflowActions workflow={workflow} deleteTo={address({ dialog: "delete" })} />}
      />
      {/* After the actions: a long one would push them off a phone's window. */}
      {workflow.description && <Description text={workflow.description} />}
      <div className="grid gap-4 xl:grid-cols-[1fr_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <BudgetWarnings warnings={budgetWarnings} mayManage={mayManageBudgets} />
          {workflow.missing.length > 0 && (
            <Notice kind="warning" title="Some steps can't run">
              <ul className="flex flex-col gap-1">
                {workflow.missing.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
              </ul>
            </Notice>
          )}
          {/* Others see the reason beside the trigger. */}
          {!mayWrite && workflow.failing.length > 0 && (
            <Notice kind="warning">{workflow.failing.join(" ")}</Notice>
          )}
          {workflow.pausedReason && (
            <Notice kind="warning" title="Automatic triggers are paused">
              {workflow.pausedReason}
              {mayWrite && (
                <Form method="post" className="mt-2">
                  <Button size="sm" name="intent" value="take-over">
                    Take Over
                  </Button>
                </Form>
              )}
            </Notice>
          )}
          {compared && (
            <VersionChangesCard {...compared} mayWrite={mayWrite} back={`/workflows/${workflow.id}`} />
          )}
          <Card
            title="Steps"
            description={`Version ${workflow.version} · runs with the rights of ${workflow.runsAs.name}`}
            actions={
              <Badge tone={workflow.enabled ? "success" : "neutral"}>
                {workflow.enabled ? "Active" : "Disabled"}
              </Badge>
            }
          >
            {drawing ? (
              <>
                <PartGraph label="Graph" drawing={drawing} />
                <details>
                  <summary className="disclosure min-h-6 cursor-pointer content-center text-muted text-xs pointer-coarse:min-h-11">
                    {countOf(workflow.steps.length, "step")} as a list
                  </summary>
                  <StepList steps={workflow.steps} className="mt-2 gap-1.5" showsIds />
                </details>
              </>
            ) : (
              <StepList steps={workflow.steps} className="gap-1.5" showsIds />
            )}
          </Card>
          <Card
            title="Recent Runs"
            actions={
              <LinkButton size="sm" to={`/workflows/runs?workflow=${workflow.id}`}>
                View All Runs
              </LinkButton>
            }
          >
            {runs.length === 0 ? (
              <p className="text-muted">No runs yet</p>
            ) : (
              <RowList label="Recent Runs">
                {runs.map((run) => (
                  <Row
                    key={run.id}
                    name={
                      run.trigger.type === "manual" && run.startedBy
                        ? `Run by ${run.startedBy.name}`
                        : triggerLabel(run.trigger.type)
                    }
                    to={`/workflows/runs/${run.id}`}
                    meta={
                      <>
                        {run.error && `${run.error} · `}
                        <RelativeTime at={run.createdAt} style="short" />
                      </>
                    }
                    state={<RunStateBadge state={run.state} />}
                  />
                ))}
              </RowList>
            )}
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <TriggersCard
            triggers={workflow.triggers}
            dueTimes={dueTimes}
            webhooks={webhooks}
            calls={calls}
            polls={polls}
            mayWrite={mayWrite}
            rotateTo={(id) => address({ dialog: "rotate", id })}
          />
          <VersionsCard versions={versions} mayWrite={mayWrite} />
        </div>
      </div>
      {dialog === "delete" && <DeleteWorkflowDialog name={workflow.name} closeTo={address()} />}
      {dialog === "rotate" && (
        <RecordDialog
          record={rotated}
          missing="Trigger not found. It may have been removed from the workflow."
          closeTo={address()}
        >
          {({ triggerId, isForm }) => (
            <ChangeAddressDialog triggerId={triggerId} isForm={isForm} closeTo={address()} />
          )}
        </RecordDialog>
      )}
    </>
  );
}

/** Actions of a workflow's page. Enable is shown only while Run requires it. */
function WorkflowActions({
  workflow: { id, enabled },
  deleteTo,
}: {
  workflow: { id: string; enabled: boolean };
  deleteTo: string;
}) {
  return (
    <>
      <LinkButton to={`/workflows/builder?id=${id}`} icon={<Pencil aria-hidden="true" />}>
        Edit
      </LinkButton>
      <Form method="post" className="flex gap-2">
        {!enabled && (
          <Button name="intent" value="enable" icon={<Power aria-hidden="true" />}>
            Enable
          </Button>
        )}
        <Button
          name="intent"
          value="run"
          variant="primary"
          icon={<Play aria-hidden="true" />}
          disabled={!enabled}
        >
          Run
        </Button>
      </Form>
      <Menu
        label="More actions"
        button={<Ellipsis aria-hidden="true" className="size-4" />}
        buttonClassName="grid size-9 cursor-pointer place-items-center rounded-md border border-line bg-raised text-ink shadow-card hover:bg-hover pointer-coarse:size-11"
      >
        {enabled && (
          <MenuSubmit icon={<PowerOff aria-hidden="true" />} values={{ intent: "disable" }}>
            Disable
          </MenuSubmit>
        )}
        <MenuLink to={`/workflows/${id}/export`} reloadDocument icon={<Download aria-hidden="true" />}>
          Export as JSON
        </MenuLink>
        <MenuLink to={deleteTo} icon={<Trash2 aria-hidden="true" />}>
          Delete
        </MenuLink>
      </Menu>
    </>
  );
}
