import { Form, Link } from "@remix-run/react";
import { FlaskConical, Pencil, Play, Plus, Square, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { withBase } from "~/core/base-path";
import { Button, IconLink, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Chart } from "~/ui/chart";
import type { ChartLayout } from "~/ui/chart.shared";
import { EmptyState } from "~/ui/empty-state";
import { countOf, formatCount } from "~/ui/format";
import { BackLink, PageHeader } from "~/ui/page-header";
import { type PageInfo, Pagination } from "~/ui/pagination";
import { RelativeTime } from "~/ui/time";
import type { CheckQuestion, CheckRun } from "~/work/search/evaluation/retrieval-check.schema";
import { ProgressBar } from "../progress-bar";
import { type ComparedOrder, ComparedQuestions, type ComparedView } from "./compared-questions";
import { FiguresTable, type SettingView } from "./figures-table";

function RunningCheck({ running, mayWrite }: { running: CheckRun; mayWrite: boolean }) {
  const { done, total } = running;
  return (
    <Card
      title="Checking"
      actions={
        mayWrite && (
          <Form method="post" preventScrollReset>
            <Button size="sm" name="intent" value="stop" icon={<Square aria-hidden="true" />}>
              Stop
            </Button>
          </Form>
        )
      }
    >
      <ProgressBar label="Retrieval Check" done={done} total={total} />
      <p className="mt-1.5 text-muted text-xs tabular-nums">
        {formatCount(done)} of {formatCount(total)} searches
      </p>
      <noscript>
        <meta httpEquiv="refresh" content="2" />
      </noscript>
    </Card>
  );
}

interface CheckScreenProps {
  questions: { items: CheckQuestion[]; pageInfo: PageInfo };
  running?: CheckRun | undefined;
  runs: CheckRun[];
  run?: CheckRun | undefined;
  figures: SettingView[];
  history?: ChartLayout | undefined;
  compared?: ComparedView | undefined;
  ordered: ComparedOrder;
  refusal?: string | undefined;
  dialog: (name: "add" | "edit" | "delete", id?: string) => string;
  pageTo: (list: "page" | "list", page: number) => string;
}

function Runs({ runs, shown: currentId }: { runs: readonly CheckRun[]; shown: string }) {
  return (
    <ul className="-mx-2 -my-2">
      {runs.map((one) => (
        <li key={one.id}>
          <Link
            to={`/rag/check?run=${one.id}`}
            preventScrollReset
            aria-current={one.id === currentId ? "page" : undefined}
            className="flex min-h-9 items-center justify-between gap-3 rounded-md px-2 hover:bg-hover aria-[current]:bg-active pointer-coarse:min-h-11"
          >
            <span className="min-w-0 truncate">{countOf(one.judged, "question")}</span>
            <span className="shrink-0 text-muted text-xs">
              <RelativeTime at={one.createdAt} style="short" />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function CheckScreen(props: CheckScreenProps) {
  const { questions, running, runs, run, compared, refusal, dialog, pageTo } = props;
  const empty = questions.pageInfo.total === 0 && !run;
  const add = (label: string, primary: boolean): ReactNode =>
    !refusal && (
      <LinkButton
        to={dialog("add")}
        preventScrollReset
        variant={primary ? "primary" : "secondary"}
        icon={<Plus aria-hidden="true" />}
      >
        {label}
      </LinkButton>
    );
  return (
    <>
      <PageHeader
        title="Retrieval Check"
        subtitle="Measure search quality with your own questions"
        actions={
          <>
            <BackLink to="/rag">RAG & Memory</BackLink>
            {!empty && add("Add Question", false)}
            {!refusal && questions.pageInfo.total > 0 && (
              <Form method="post" preventScrollReset>
                <Button
                  variant="primary"
                  name="intent"
                  value="run"
                  disabled={running !== undefined}
                  icon={<Play aria-hidden="true" />}
                >
                  Run Check
                </Button>
              </Form>
            )}
          </>
        }
      />
      {empty ? (
        <EmptyState
          icon={<FlaskConical />}
          title="No questions yet"
          description="Save questions with the passages that answer them, then check how many of them search finds."
          action={refusal ?? add("Add First Question", true)}
        />
      ) : (
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
          <div className="flex min-w-0 flex-col gap-6">
            {running && <RunningCheck running={running} mayWrite={!refusal} />}
            {run && (
              <section aria-label="Results" className="flex min-w-0 flex-col gap-3">
                <div>
                  <h2 className="text-sm">Results of this check</h2>
                  <p className="mt-0.5 text-muted text-xs">
                    <RelativeTime at={run.createdAt} />: {judgedLabel(run)} 1.000 is a perfect score. Changes
                    are relative to the previous check.
                  </p>
                </div>
                <FiguresTable settings={props.figures} judged={run.judged} />
              </section>
            )}
            {props.history && (
              <Card title="Hit rate@10 by check" description="In percent of each check's questions">
                <Chart chart={props.history} name="Hit rate@10 by check" pointName="Check" />
              </Card>
            )}
            {compared && (
              <ComparedQuestions
                compared={compared}
                ordered={props.ordered}
                pageTo={(page) => pageTo("page", page)}
              />
            )}
            {!run && !running && (
              <EmptyState
                icon={<Play />}
                title="No results yet"
                description="Run the check to compare hit rate, MRR and nDCG@10 of keywords, vectors and both."
              />
            )}
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Card title={`Questions (${questions.pageInfo.total})`}>
              <QuestionList questions={questions.items} mayWrite={!refusal} dialog={dialog} />
              <div className="not-empty:mt-4">
                <Pagination
                  pageInfo={questions.pageInfo}
                  label="Saved questions"
                  to={(page) => pageTo("list", page)}
                />
              </div>
            </Card>
            {run && runs.length > 1 && (
              <Card title="Earlier Checks">
                <Runs runs={runs} shown={run.id} />
              </Card>
            )}
          </div>
        </div>
      )}
    </>
  );
}

function judgedLabel({ questions, judged }: CheckRun): string {
  const omitted = questions - judged;
  const others =
    omitted === 1
      ? " 1 is left out because not everyone can see its documents."
      : ` ${formatCount(omitted)} are left out because not everyone can see their documents.`;
  return `${countOf(judged, "question")}.${omitted > 0 ? others : ""}`;
}

function documentsOf({ passages }: CheckQuestion): { id: string; name: string }[] {
  return [...new Map(passages.map(({ documentId, document }) => [documentId, document]))].map(
    ([id, name]) => ({
      id,
      name,
    }),
  );
}

interface QuestionListProps {
  questions: readonly CheckQuestion[];
  mayWrite: boolean;
  dialog: (name: "edit" | "delete", id: string) => string;
}

function QuestionList({ questions, mayWrite, dialog }: QuestionListProps) {
  return (
    <ul className="-my-2 divide-y divide-line">
      {questions.map((one) => (
        <li key={one.id} className="flex items-start gap-2 py-2">
          <div className="min-w-0 flex-1">
            <p className="wrap-anywhere">{one.question}</p>
            <p className="wrap-anywhere text-muted text-xs">
              {countOf(one.passages.length, "passage")}
              {documentsOf(one).map(({ id, name }) => (
                <span key={id}>
                  {" · "}
                  <a href={withBase(`/rag/${encodeURIComponent(id)}`)} className="underline hover:text-ink">
                    {name}
                  </a>
                </span>
              ))}
            </p>
          </div>
          {mayWrite && (
            <span className="flex shrink-0">
              <IconLink
                to={dialog("edit", one.id)}
                preventScrollReset
                label={`Edit "${one.question}"`}
                icon={<Pencil />}
              />
              <IconLink
                to={dialog("delete", one.id)}
                preventScrollReset
                label={`Delete "${one.question}"`}
                icon={<Trash2 />}
              />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
