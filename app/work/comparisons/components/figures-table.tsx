import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { Badge, type Tone } from "~/ui/badge";
import { formatCost, formatDuration, formatTokens } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { ComparedAnswer } from "../comparisons.schema";

type Figure = "firstTokenMs" | "durationMs" | "inputTokens" | "outputTokens" | "costMicros";

const STATES: Record<ComparedAnswer["answer"]["status"], { label: string; tone: Tone }> = {
  complete: { label: "Complete", tone: "success" },
  waiting: { label: "Waiting", tone: "info" },
  streaming: { label: "Writing…", tone: "info" },
  stopped: { label: "Stopped", tone: "neutral" },
  interrupted: { label: "Interrupted", tone: "warning" },
  failed: { label: "Failed", tone: "danger" },
};

interface FigureColumn {
  figure: Figure;
  label: string;
  /** Marks the lowest value. */
  best?: string;
  format: (value: number) => string;
}

const COLUMNS: FigureColumn[] = [
  { figure: "firstTokenMs", label: "First token", best: "Fastest", format: formatDuration },
  { figure: "durationMs", label: "Total time", best: "Fastest", format: formatDuration },
  { figure: "inputTokens", label: "Tokens in", format: formatTokens },
  { figure: "outputTokens", label: "Tokens out", format: formatTokens },
  { figure: "costMicros", label: "Cost", best: "Cheapest", format: formatCost },
];

interface FiguresTableProps {
  answers: readonly ComparedAnswer[];
  names: Readonly<Record<string, string>>;
}

export function FiguresTable({ answers, names }: FiguresTableProps) {
  return (
    <Table caption="Results" stacks>
      <thead>
        <tr>
          <HeadCell>Model</HeadCell>
          <HeadCell>Status</HeadCell>
          {COLUMNS.map(({ label }) => (
            <HeadCell key={label} align="right">
              {label}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {answers.map(({ conversationId, model, answer: { metrics, status } }) => (
          <TableRow key={conversationId}>
            <Cell>
              <span title={model} className="wrap-anywhere block min-w-32 font-medium">
                {names[model] ?? model}
              </span>
              {model === OFFLINE_MODEL && <span className="text-muted text-xs">Built-in, not ranked</span>}
            </Cell>
            <Cell label="Status">
              <Badge tone={STATES[status].tone}>{STATES[status].label}</Badge>
            </Cell>
            {COLUMNS.map(({ figure, label, best, format }) => (
              <Cell key={figure} label={label} align="right">
                {/* The badge goes below where the column is narrow. */}
                <span className="flex flex-row-reverse flex-wrap items-center gap-x-2 tabular-nums max-sm:flex-row">
                  <span className="whitespace-nowrap">
                    {typeof metrics?.[figure] === "number" ? format(metrics[figure]) : "—"}
                  </span>
                  {best && bestIn(answers, figure).has(conversationId) && (
                    <Badge tone="success">{best}</Badge>
                  )}
                </span>
              </Cell>
            ))}
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}

/** The columns with the lowest value of a figure: complete answers only, and none if all are equal. */
export function bestIn(answers: readonly ComparedAnswer[], figure: Figure): ReadonlySet<string> {
  const values = answers.flatMap(({ conversationId, model, answer }) => {
    const counts = answer.status === "complete" && model !== OFFLINE_MODEL;
    const value = counts ? answer.metrics?.[figure] : null;
    return value === null || value === undefined ? [] : [{ conversationId, value }];
  });
  const lowest = Math.min(...values.map(({ value }) => value));
  const best = values.filter(({ value }) => value === lowest);
  return new Set(best.length < values.length ? best.map(({ conversationId }) => conversationId) : []);
}
