import { Form, Link, type MetaArgs, useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { Button, onlyFirstPress } from "~/ui/button";
import { FileStrip } from "~/ui/call-parts";
import { Card } from "~/ui/card";
import { cx } from "~/ui/class-names";
import { FAILURES } from "~/ui/failures";
import { formatDuration } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { RelativeTime } from "~/ui/time";
import { approvalLinks } from "~/work/workflows/approval-links.service.server";
import { JsonValue } from "~/work/workflows/components/json-value";
import { RerunDialog } from "~/work/workflows/components/rerun-dialog";
import { RunGraph } from "~/work/workflows/components/run-graph";
import { RunStateBadge, triggerLabel } from "~/work/workflows/components/run-state";
import { RunFacts, RunSteps, shownFiles } from "~/work/workflows/components/run-steps";
import { planRerun, rerunFromForm } from "~/work/workflows/rerun.service.server";
import { drawRun, listShownSteps } from "~/work/workflows/run-drawing.service.server";
import { RerunForm } from "~/work/workflows/runs.schema";
import {
  answerStep,
  cancelRun,
  readFailedRun,
  readRun,
  refusalToRepeat,
  repeatRun,
  retryRun,
} from "~/work/workflows/runs.service.server";
import { pinOutput } from "~/work/workflows/samples.service.server";
import { stepTypeLabel } from "~/work/workflows/screen.service.server";

export const meta = (args: MetaArgs<typeof loader>) =>
  pageTitle(`Run of ${args.data?.run.workflowName ?? "a workflow"}`)(args as never);

const FAILED = { toast: "Couldn't change the run" };
const runId = (params: Readonly<Record<string, string | undefined>>) => params.runId ?? "";

const act = (run: (actor: Actor, id: string, step: string) => unknown, done: string) =>
  intent({
    access: "workflows.write",
    target: "step",
    run: ({ actor, params, target }) => run(actor, runId(params), target),
    done,
    failed: FAILED,
  });

const Query = z.object({
  dialog: z.enum(["rerun"]).optional().catch(undefined),
  id: z.string().max(80).default(""),
});

const { loader, action } = screen({
  access: "signed-in",
  query: Query,
  load: ({ actor, params, query, context }) => {
    const details = readRun(actor, runId(params));
    const { steps: _, ...run } = details;
    const drawing = drawRun(actor, details);
    const titles = new Map(drawing?.nodes.map(({ id, title }) => [id, title]));
    const mayWrite = may(actor, "workflows.write");
    const links = approvalLinks(actor, run.id, context.origin);
    return {
      run,
      failedRun: readFailedRun(actor, run.id),
      drawing,
      steps: listShownSteps(details).map((step) => ({
        ...step,
        label: titles.get(step.stepId) ?? stepTypeLabel(step.type),
        approvalUrl: links[step.key],
      })),
      mayWrite,
      refusal: mayWrite && run.finishedAt !== null ? refusalToRepeat(actor, run.workflowId) : undefined,
      rerun:
        mayWrite && query.dialog === "rerun"
          ? findOrExplain(() => planRerun(actor, run.id, query.id))
          : undefined,
      now: Date.now(),
    };
  },
  actions: {
    cancel: act((actor, id) => cancelRun(actor, id), "Run canceled"),
    retry: act((actor, id) => retryRun(actor, id), "Run continues from the failed step"),
    repeat: intent({
      access: "workflows.write",
      run: ({ actor, params }) => repeatRun(actor, runId(params)),
      done: ({ id }) => ({ to: `/workflows/runs/${id}`, toast: "Workflow started successfully" }),
      failed: { toast: FAILURES.runWorkflow },
    }),
    rerun: intent({
      access: "workflows.write",
      input: RerunForm,
      run: ({ actor, params, input }) => rerunFromForm(actor, runId(params), input),
      done: ({ id }) => ({ to: `/workflows/runs/${id}`, toast: "Workflow started successfully" }),
      failed: { fields: FAILURES.runWorkflow },
    }),
    approve: act((actor, id, step) => answerStep(actor, id, step, true), "Approved"),
    pin: act((actor, id, step) => pinOutput(actor, id, step), "Output pinned for tries in the builder"),
    refuse: act((actor, id, step) => answerStep(actor, id, step, false), "Refused"),
  },
});

export { action, loader };

export default function Run() {
  const { run, failedRun, drawing, steps, mayWrite, refusal, rerun, now } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  useLiveTopics(["workflows"]);
  const isOpen = run.finishedAt === null;
  const took = run.durationMs;
  return (
    <>
      <PageHeader
        title={run.workflowName}
        subtitle={
          <span className="flex flex-wrap items-center gap-2">
            <RunStateBadge state={run.state} />
            <span className="wrap-anywhere">
              Version {run.version} · started <RelativeTime at={run.createdAt} style="running" />
              {run.startedBy && ` by ${run.startedBy.name}`}
              {run.rerunOf && (
                <>
                  {" · from step "}
                  {run.rerunOf.step} of{" "}
                  <Link to={`/workflows/runs/${run.rerunOf.runId}`}>an earlier run</Link>
                  {run.rerunOf.edited && ", with an edited input"}
                </>
              )}
            </span>
          </span>
        }
        actions={
          <>
            <BackLink to={`/workflows/${run.workflowId}`}>Workflow</BackLink>
            {mayWrite && !refusal && (
              <Form method="post">
                <Button name="intent" value={isOpen ? "cancel" : "repeat"} onClick={onlyFirstPress}>
                  {isOpen ? "Cancel Run" : "Run Again"}
                </Button>
              </Form>
            )}
            {mayWrite && run.state === "failed" && (
              <Form method="post">
                <Button name="intent" value="retry" variant="primary">
                  Retry from Failed Step
                </Button>
              </Form>
            )}
          </>
        }
      />
      <RunFacts
        steps={steps}
        trigger={
          failedRun ? (
            <Link
              to={`/workflows/runs/${failedRun.id}`}
              className="wrap-anywhere inline-block min-h-6 underline underline-offset-4 pointer-coarse:min-h-11"
            >
              Failed run of {failedRun.workflowName}
            </Link>
          ) : (
            triggerLabel(run.trigger.type)
          )
        }
        duration={took === null ? null : formatDuration(took)}
      />
      <div className="flex flex-col gap-4">
        {refusal && <Notice kind="info">It can't be run again: {refusal}</Notice>}
        {run.error && (
          <Notice
            kind={run.state === "failed" ? "danger" : "info"}
            title={run.state === "failed" ? "The run failed" : undefined}
          >
            {run.error}
          </Notice>
        )}
        <div
          className={cx("grid items-start gap-4", drawing && "xl:grid-cols-[fit-content(50%)_minmax(0,1fr)]")}
        >
          {drawing && <RunGraph drawing={drawing} />}
          <section aria-labelledby="steps-title" className="min-w-0">
            <h2 id="steps-title" className="sr-only">
              Steps
            </h2>
            <RunSteps run={run} steps={steps} mayAnswer={mayWrite} mayRerun={!refusal} now={now} />
            {steps.length === 0 && (
              <p className="text-muted">{isOpen ? "The run starts in a moment." : "No steps ran."}</p>
            )}
            <div className="mt-4 grid gap-4 empty:hidden">
              {run.hidesData ? (
                <p className="text-muted">
                  Only members, admins and owners see the data of runs: it comes from outside and may be
                  private.
                </p>
              ) : (
                <Card>
                  <JsonValue label="Trigger data" value={run.payload} titled />
                  <div className="mt-3 empty:hidden">
                    <FileStrip label="Files of the trigger" files={shownFiles(run.payload)} />
                  </div>
                </Card>
              )}
              {run.output !== null && (
                <Card>
                  <JsonValue label="Returned value" value={run.output} titled />
                </Card>
              )}
            </div>
          </section>
        </div>
      </div>
      {rerun && (
        <RerunDialog
          plan={rerun.selected}
          missing={rerun.missing}
          closeTo={`/workflows/runs/${run.id}`}
          result={result}
        />
      )}
    </>
  );
}
