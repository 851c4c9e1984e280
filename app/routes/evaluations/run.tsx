import { Form, useActionData, useLoaderData } from "@remix-run/react";
import { Download, RotateCcw, Square, Trash2 } from "lucide-react";
import { clip } from "~/core/well-formed";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { Button, LinkButton, onlyFirstPress } from "~/ui/button";
import { CallProgress } from "~/ui/call-parts";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { countOf, formatCost } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Pagination } from "~/ui/pagination";
import { RelativeTime } from "~/ui/time";
import { useOpenDialog } from "~/ui/use-open-dialog";
import { ResumeDialog } from "~/work/evaluations/components/evaluation-dialogs";
import { FiguresTable, ResultsTable, RunState } from "~/work/evaluations/components/run-results";
import { ResumeInput, RunQuery } from "~/work/evaluations/evaluations.schema";
import { readSet } from "~/work/evaluations/evaluations.service.server";
import { deleteRun, pageResults, readRun, resumeRun, stopRun } from "~/work/evaluations/runs.service.server";

export const meta = pageTitle("Evaluation Run");

const PAGE = 10;
/** Of an answer, in characters; the export has all of it. */
const SHOWN = 4000;

const { loader, action } = screen({
  access: "signed-in",
  query: RunQuery,
  load: ({ actor, params: { runId = "" }, query: { page } }) => {
    const run = readRun(actor, runId);
    const total = run.total / run.subjects.length;
    const current = Math.min(page, Math.max(1, Math.ceil(total / PAGE)));
    return {
      run,
      set: readSet(actor, run.setId),
      rows: pageResults(actor, runId, (current - 1) * PAGE - 1, PAGE).map(({ results, ...row }) => ({
        ...row,
        results: results.map(
          (one) => one && { ...one, answer: one.answer === null ? null : clip(one.answer, SHOWN) },
        ),
      })),
      pageInfo: { page: current, size: PAGE, total },
    };
  },
  actions: {
    stop: intent({
      access: "evaluations.write",
      run: ({ actor, params: { runId = "" } }) => stopRun(actor, runId),
      done: "Run stopped",
      failed: { toast: "Couldn't stop the run" },
    }),
    resume: intent({
      access: "evaluations.write",
      input: ResumeInput,
      // A blank field isn't posted.
      run: ({ actor, params: { runId = "" }, input: { limit = null } }) => resumeRun(actor, runId, { limit }),
      done: "Run resumed",
    }),
    delete: intent({
      access: "evaluations.write",
      target: "set",
      run: ({ actor, params: { runId = "" } }) => deleteRun(actor, runId),
      done: (_, { target }) => ({ to: `/evaluations/${encodeURIComponent(target)}`, toast: "Run deleted" }),
      failed: { dialog: "Couldn't delete the run" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

function deletion(answers: number, isOpen: boolean): string {
  const stopped = isOpen ? ", and it is stopped" : "";
  if (answers === 0) return isOpen ? "It is stopped." : "It has no answers.";
  return `Its ${countOf(answers, "answer")} ${answers === 1 ? "is" : "are"} deleted${stopped}.`;
}

export default function EvaluationRun() {
  const { run, set, rows, pageInfo } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const { search } = useOpenDialog(run);
  const { state, error, done, total, judge, limitMicros, canChange } = run;
  const dialog = canChange ? search.get("dialog") : null;
  const address = usePageAddress();
  const closeTo = address();
  useLiveTopics(["evaluations"], { isPaused: dialog !== null });
  const isOpen = run.endedAt === null;
  const canResume = !isOpen && (done < total || run.figures.some(({ errors }) => errors > 0));
  return (
    <>
      <PageHeader
        title={set.name}
        subtitle="Answers of a run, question by question"
        actions={
          <>
            <BackLink to={`/evaluations/${set.id}`}>Evaluation</BackLink>
            <LinkButton to={`/api/evaluation-runs/${run.id}/export`} reloadDocument icon={<Download />}>
              Export CSV
            </LinkButton>
            {canChange && (
              <LinkButton to={address({ dialog: "delete" })} preventScrollReset icon={<Trash2 />}>
                Delete
              </LinkButton>
            )}
            {canChange && isOpen && (
              <Form method="post" preventScrollReset>
                <Button name="intent" value="stop" icon={<Square />} onClick={onlyFirstPress}>
                  Stop
                </Button>
              </Form>
            )}
            {canChange && canResume && (
              <LinkButton
                to={address({ dialog: "resume" })}
                preventScrollReset
                variant="primary"
                icon={<RotateCcw />}
              >
                Resume
              </LinkButton>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
          <RunState state={state} />
          <RelativeTime at={run.createdAt} />
          {judge !== null && <span>Judged by {judge}</span>}
          {limitMicros !== null && <span>Limit {formatCost(limitMicros)}</span>}
        </div>
        {isOpen && (
          <>
            <CallProgress value={done} total={total} message={`${done} of ${total} answers`} />
            <noscript>
              <meta httpEquiv="refresh" content="3" />
            </noscript>
          </>
        )}
        {error !== null && (
          <Notice kind="danger" title="The run ended early">
            {error} Its answers are kept.
          </Notice>
        )}
        <FiguresTable run={run} />
        <ResultsTable run={run} rows={rows} />
        <Pagination
          pageInfo={pageInfo}
          label="Questions"
          to={(page) => address({ page: page > 1 ? String(page) : undefined })}
        />
      </div>
      {dialog === "resume" && canResume && (
        <ResumeDialog
          limit={limitMicros === null ? undefined : limitMicros / 1_000_000}
          closeTo={closeTo}
          result={result}
        />
      )}
      {dialog === "delete" && (
        <ConfirmDialog
          title="Delete this run?"
          description={`${deletion(done, isOpen)} This can't be undone.`}
          closeTo={closeTo}
          intent="delete"
          values={{ set: set.id }}
          confirmLabel="Delete Run"
        />
      )}
    </>
  );
}
