import { Badge, type Tone } from "~/ui/badge";
import { countOf } from "~/ui/format";
import { type PageInfo, Pagination } from "~/ui/pagination";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { ComparedQuestion } from "~/work/search/evaluation/compare";
import type { QuestionOrder } from "~/work/search/evaluation/retrieval-check.schema";

const COLUMNS = { question: "Question", before: "Before", after: "After", change: "Change" } as const;

export interface ComparedOrder extends QuestionOrder {
  sortTo: (order: QuestionOrder) => string;
}

export interface ComparedView {
  before?: string | undefined;
  after: string;
  worse: number;
  better: number;
  questions: { items: ComparedQuestion[]; pageInfo: PageInfo };
}

const CHANGES: Record<ComparedQuestion["change"], { label: string; tone: Tone }> = {
  worse: { label: "Worse", tone: "danger" },
  better: { label: "Better", tone: "success" },
  same: { label: "Same", tone: "neutral" },
  unjudged: { label: "Not compared", tone: "neutral" },
};

function RankCell({ rank }: { rank: number | null | undefined }) {
  return (
    <Cell align="right">
      {rank === undefined && <span className="text-muted">—</span>}
      {rank === null && <span className="text-danger-ink">Missed</span>}
      <span className="tabular-nums">{rank}</span>
    </Cell>
  );
}

export function ComparedQuestions({
  compared,
  ordered,
  pageTo,
}: {
  compared: ComparedView;
  ordered: ComparedOrder;
  pageTo: (page: number) => string;
}) {
  const { before, after, worse, better, questions } = compared;
  const columns = (["question", "before", "after", "change"] as const).filter(
    (name) => before || name === "question" || name === "after",
  );
  return (
    <section aria-label="Question by Question" className="flex min-w-0 flex-col gap-3">
      <div>
        <h2 className="text-sm">Question by Question</h2>
        <p className="mt-0.5 text-muted text-xs">
          {before
            ? `${before} compared with ${after}: ${countOf(worse, "question")} worse, ${better} better`
            : `${after}: the rank of the first expected passage among ten results`}
        </p>
      </div>
      <Table caption="Rank of each question's first expected passage">
        <thead>
          <tr>
            {columns.map((sort) => {
              const sorted = ordered.sort === sort;
              const order = sorted && ordered.order === "asc" ? "desc" : "asc";
              return (
                <HeadCell
                  key={sort}
                  align={sort === "before" || sort === "after" ? "right" : "left"}
                  sortTo={ordered.sortTo({ sort, order })}
                  {...(sorted ? { sorted: ordered.order === "asc" ? "ascending" : "descending" } : {})}
                >
                  {sort === "after" && !before ? "Rank" : COLUMNS[sort]}
                </HeadCell>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {questions.items.map((one) => (
            <TableRow key={one.questionId}>
              <Cell>
                <span title={one.question} className="wrap-anywhere block min-w-28 sm:min-w-40">
                  {one.question}
                </span>
              </Cell>
              {before && <RankCell rank={one.before} />}
              <RankCell rank={one.after} />
              {before && (
                <Cell>
                  <Badge tone={CHANGES[one.change].tone}>{CHANGES[one.change].label}</Badge>
                </Cell>
              )}
            </TableRow>
          ))}
        </tbody>
      </Table>
      <Pagination pageInfo={questions.pageInfo} label="Questions compared" to={pageTo} />
    </section>
  );
}
