import { useActionData, useLoaderData } from "@remix-run/react";
import { MessageCircleQuestion, Play, Plus } from "lucide-react";
import { listModels, newChatModel, offerModels } from "~/ai/models/models.service.server";
import { clip } from "~/core/well-formed";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Chart } from "~/ui/chart";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Row } from "~/ui/row";
import { changeActions } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import { LoadingDialog, useOpenDialog } from "~/ui/use-open-dialog";
import { QuestionDialog, RunDialog } from "~/work/evaluations/components/evaluation-dialogs";
import { passedShare, RunState } from "~/work/evaluations/components/run-results";
import { EvaluationQuery, QuestionInput, type Run, RunInput } from "~/work/evaluations/evaluations.schema";
import {
  deleteQuestion,
  describeTraits,
  formTraits,
  listQuestions,
  readSet,
  saveQuestion,
} from "~/work/evaluations/evaluations.service.server";
import { drawHistory, listRuns, startRun } from "~/work/evaluations/runs.service.server";
import { listPersonas } from "~/work/personas/personas.service.server";
import { listFillablePrompts } from "~/work/prompts/prompts.service.server";

export const meta = pageTitle("Evaluation");

const { loader, action } = screen({
  access: "signed-in",
  query: EvaluationQuery,
  load: async ({ actor, params: { setId = "" }, query: { dialog, id } }) => {
    const set = readSet(actor, setId);
    const questions = listQuestions(actor, setId);
    const runs = listRuns(actor, setId);
    const edited = dialog === "question" ? questions.find((one) => one.id === id) : undefined;
    const mayRun = may(actor, "evaluations.write") && may(actor, "chat.use");
    const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
    return {
      set,
      questions: questions.map(({ id, question, expects }) => ({
        id,
        question: clip(question, 300),
        expects: describeTraits(expects),
      })),
      needsJudge: questions.some(({ expects }) => expects.rubric !== undefined),
      runs,
      history: drawHistory(actor, runs),
      edited: edited && { question: edited.question, expects: formTraits(actor, edited.expects) },
      mayRun,
      offer:
        mayRun && dialog === "run"
          ? {
              models: offerModels(actor),
              defaultModel: newChatModel(actor, listModels(actor)),
              unpriced: listModels(actor).flatMap(({ name, cost }) => (cost.input === null ? [name] : [])),
              personas: listPersonas(actor).map(named),
              prompts: (await listFillablePrompts(actor)).map(named),
            }
          : undefined,
    };
  },
  actions: {
    save: intent({
      access: "evaluations.write",
      target: "id",
      input: QuestionInput,
      run: ({ actor, params: { setId = "" }, target, input }) =>
        saveQuestion(actor, setId, target || undefined, input),
      done: (_, { target }) => (target === "" ? "Question added" : "Question saved"),
    }),
    remove: intent({
      access: "evaluations.write",
      target: "id",
      run: ({ actor, params: { setId = "" }, target }) => deleteQuestion(actor, setId, target),
      done: "Question deleted",
      failed: { dialog: "Couldn't delete the question" },
    }),
    run: intent({
      access: "evaluations.write",
      input: RunInput,
      run: ({ actor, params: { setId = "" }, input }) => startRun(actor, setId, input),
      done: ({ id }) => ({ to: `/evaluations/runs/${id}`, toast: "Run started" }),
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

export default function Evaluation() {
  const { set, questions, needsJudge, runs, history, edited, mayRun, offer } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const { search, isLoading } = useOpenDialog(questions, { loads: ["run", "question"] });
  const dialog = search.get("dialog");
  const id = search.get("id") ?? undefined;
  const here = `/evaluations/${set.id}`;
  useLiveTopics(["evaluations"], { isPaused: dialog !== null });
  const selected = questions.find((one) => one.id === id);
  const open = runs.find(({ endedAt }) => endedAt === null);
  const add = (variant: "primary" | "secondary") =>
    set.canEdit && (
      <LinkButton to={`${here}?dialog=question`} preventScrollReset variant={variant} icon={<Plus />}>
        Add Question
      </LinkButton>
    );
  return (
    <>
      <PageHeader
        title={set.name}
        subtitle={set.shared ? `Shared by ${set.author.name}` : "Only you see this evaluation"}
        actions={
          <>
            <BackLink to="/evaluations">Evaluations</BackLink>
            {questions.length > 0 && add("secondary")}
            {/* One run at a time. */}
            {open && <LinkButton to={`/evaluations/runs/${open.id}`}>See Current Run</LinkButton>}
            {mayRun && questions.length > 0 && !open && (
              <LinkButton to={`${here}?dialog=run`} preventScrollReset variant="primary" icon={<Play />}>
                New Run
              </LinkButton>
            )}
          </>
        }
      />
      {questions.length === 0 && runs.length === 0 ? (
        <EmptyState
          icon={<MessageCircleQuestion />}
          title="No questions yet"
          description="Add a question and what a good answer to it has."
          action={add("secondary")}
        />
      ) : (
        <div className="flex flex-col gap-4">
          {history && (
            <Card title="Passed answers by run" description="In percent of each subject's answers">
              <Chart chart={history} name="Passed answers by run" pointName="Run" />
            </Card>
          )}
          {runs.length > 0 && <Runs runs={runs} />}
          <section aria-labelledby="questions">
            <h2 id="questions" className="mb-2 text-sm">
              {countOf(questions.length, "question")}
            </h2>
            <RowList label="Questions">
              {questions.map((one) => (
                <Row
                  key={one.id}
                  name={one.question}
                  icon={<MessageCircleQuestion />}
                  meta={one.expects}
                  actions={
                    set.canEdit
                      ? changeActions(`?dialog=question&id=${one.id}`, `?dialog=remove&id=${one.id}`)
                      : []
                  }
                />
              ))}
            </RowList>
          </section>
        </div>
      )}
      {set.canEdit && dialog === "question" && (id === undefined || (edited && !isLoading)) && (
        <QuestionDialog key={id} id={id} {...edited} closeTo={here} result={result} />
      )}
      {set.canEdit && dialog === "remove" && selected && (
        <ConfirmDialog
          title="Delete this question?"
          description={`"${selected.question}" is deleted. Runs keep it with their answers. This can't be undone.`}
          closeTo={here}
          intent="remove"
          values={{ id: selected.id }}
          confirmLabel="Delete Question"
        />
      )}
      {set.canEdit && (dialog === "question" || dialog === "remove") && id !== undefined && !selected && (
        <MissingDialog message="Question not found. It may have been deleted." closeTo={here} />
      )}
      {dialog === "run" && offer && !isLoading && (
        <RunDialog
          {...offer}
          questions={questions.length}
          needsJudge={needsJudge}
          isShared={set.shared}
          closeTo={here}
          result={result}
        />
      )}
      {isLoading && (dialog === "run" ? mayRun : set.canEdit && dialog === "question" && selected) && (
        <LoadingDialog title={dialog === "run" ? "New Run" : "Edit Question"} closeTo={here} size="lg" />
      )}
    </>
  );
}

function Runs({ runs }: { runs: readonly Run[] }) {
  return (
    <section aria-labelledby="runs">
      <h2 id="runs" className="mb-2 text-sm">
        Runs
      </h2>
      <RowList label="Runs">
        {runs.map(({ id, state, subjects, figures, done, total, createdAt }) => (
          <Row
            key={id}
            name={subjects.map(({ label }) => label).join(", ")}
            to={`/evaluations/runs/${id}`}
            meta={figures.map(passedShare).join(", ")}
            state={
              <>
                {done < total && (
                  <span className="text-muted text-xs tabular-nums">{`${done} of ${total}`}</span>
                )}
                <RunState state={state} />
                <span className="text-muted text-xs">
                  <RelativeTime at={createdAt} style="short" />
                </span>
              </>
            }
          />
        ))}
      </RowList>
    </section>
  );
}
