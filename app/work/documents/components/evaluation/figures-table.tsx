import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { settingLabel } from "~/work/search/evaluation/check-form.shared";
import type { CheckFigures } from "~/work/search/evaluation/metrics";
import type { CheckedSetting } from "~/work/search/evaluation/retrieval-check.schema";

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
    <>
      <Table caption="Results by setting" stacks>
        <thead>
          <tr>
            <HeadCell>Search</HeadCell>
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
                <span className="block font-medium sm:min-w-36">{settingLabel(setting)}</span>
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
              </Cell>
              {setting.error === null ? (
                FIGURES.map(({ name, label }) => (
                  <Cell key={name} label={label} align="right">
                    <span className="flex items-baseline justify-end gap-x-2 whitespace-nowrap tabular-nums max-sm:flex-row-reverse max-sm:justify-end!">
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
      <p className="mt-2 text-muted text-xs">
        Of 0 to 1, where 1 is best. Hit rate@10: the share of questions with an expected passage among the
        first ten. MRR: how far up the first one stands (1 for first, ½ for second). nDCG@10: how far up all
        of them stand.
      </p>
    </>
  );
}
