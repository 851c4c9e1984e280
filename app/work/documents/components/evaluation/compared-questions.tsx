import { Badge, type Tone } from "~/ui/badge";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import { type PageInfo, Pagination } from "~/ui/pagination";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { CHECK_INDEX_LABELS, CHECK_MODE_LABELS } from "~/work/search/evaluation/check-form.shared";
import type { ComparedQuestion } from "~/work/search/evaluation/compare";
import type { CheckFigures } from "~/work/search/evaluation/metrics";
import type { CheckedSetting, QuestionOrder } from "~/work/search/evaluation/retrieval-check.schema";

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
                <span
                  title={one.question}
                  className="wrap-anywhere line-clamp-4 min-w-28 sm:line-clamp-none sm:min-w-40"
                >
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

export interface SettingView {
  setting: CheckedSetting;
  shared?: { questions: number; before: CheckFigures; after: CheckFigures } | undefined;
}

const FIGURES = [
  { name: "hitRate", label: "Hit rate@10" },
  { name: "mrr", label: "MRR" },
  { name: "ndcg", label: "nDCG@10" },
] as const;

/** Smaller differences count as none. */
const SHOWN = 0.0005;

function Difference({ value, from }: { value: number | undefined; from: number | undefined }) {
  if (value === undefined || from === undefined) return null;
  const difference = value - from;
  if (Math.abs(difference) < SHOWN) return <span className="text-muted text-xs">±0</span>;
  const worse = difference < 0;
  return (
    <span className={cx("text-xs", worse ? "text-danger-ink" : "text-success-ink")}>
      {worse ? "−" : "+"}
      {Math.abs(difference).toFixed(3)}
    </span>
  );
}

export function FiguresTable({ settings, judged }: { settings: readonly SettingView[]; judged: number }) {
  return (
    <Table caption="Results by setting">
      <thead>
        <tr>
          <HeadCell>Index</HeadCell>
          <HeadCell className="max-sm:hidden">Search</HeadCell>
          {FIGURES.map(({ name, label }) => (
            <HeadCell key={name} align="right">
              {label}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {settings.map(({ setting, shared }) => (
          <TableRow key={setting.id}>
            <Cell>
              <span className="block font-medium sm:min-w-36">
                {CHECK_INDEX_LABELS[setting.index]}
                <span className="font-normal text-muted sm:hidden">
                  , {CHECK_MODE_LABELS[setting.mode].toLowerCase()}
                </span>
              </span>
              <span className="wrap-anywhere block text-muted text-xs">
                {[setting.embedder, setting.chunking, setting.store === "sqlite" ? "SQLite" : setting.store]
                  .filter((part) => part && part !== "none")
                  .join(" · ")}
              </span>
              {shared && shared.questions < judged && (
                <span className="block text-muted text-xs">
                  Compared over the {countOf(shared.questions, "question")} in both checks
                </span>
              )}
              {!setting.complete && (
                <span className="block text-warning-ink text-xs">The index was incomplete</span>
              )}
            </Cell>
            <Cell className="max-sm:hidden">{CHECK_MODE_LABELS[setting.mode]}</Cell>
            {setting.error === null ? (
              FIGURES.map(({ name }) => (
                <Cell key={name} align="right">
                  <span className="flex items-end justify-end gap-x-2 whitespace-nowrap tabular-nums max-sm:flex-col-reverse sm:items-baseline">
                    <Difference value={shared?.after[name]} from={shared?.before[name]} />
                    {setting[name]?.toFixed(3) ?? "—"}
                  </span>
                </Cell>
              ))
            ) : (
              <td colSpan={FIGURES.length} className="wrap-anywhere px-4 py-2.5 text-danger-ink text-xs">
                {setting.error}
              </td>
            )}
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}
