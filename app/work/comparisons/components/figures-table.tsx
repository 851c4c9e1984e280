import { Badge, type Tone } from "~/ui/badge";
import { formatCost, formatDuration, formatTokens } from "~/ui/format";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { ComparedAnswer } from "../comparisons.schema";
import { bestIn, type Figure } from "./best";

const STATES: Record<ComparedAnswer["answer"]["status"], { label: string; tone: Tone }> = {
  complete: { label: "Complete", tone: "success" },
  waiting: { label: "Waiting", tone: "info" },
  streaming: { label: "Writing…", tone: "info" },
  stopped: { label: "Stopped", tone: "neutral" },
  interrupted: { label: "Interrupted", tone: "warning" },
  failed: { label: "Failed", tone: "danger" },
};

const FIGURES: { figure: Figure; label: string; best: string; format: (value: number) => string }[] = [
  { figure: "firstTokenMs", label: "First token", best: "Fastest", format: formatDuration },
  { figure: "durationMs", label: "Total time", best: "Fastest", format: formatDuration },
  { figure: "costMicros", label: "Cost", best: "Cheapest", format: formatCost },
];

const formatOptional = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? "—" : format(value);

interface FiguresTableProps {
  answers: readonly ComparedAnswer[];
  names: Readonly<Record<string, string>>;
}

export function FiguresTable({ answers, names }: FiguresTableProps) {
  const best = new Map(FIGURES.map(({ figure }) => [figure, bestIn(answers, figure)]));
  const timed = FIGURES.slice(0, 2);
  const priced = FIGURES.slice(2);
  const cells = ({ conversationId, answer }: ComparedAnswer, figures: readonly (typeof FIGURES)[number][]) =>
    figures.map(({ figure, best: label, format }) => (
      <Cell key={figure} align="right">
        <span className="flex items-center justify-end gap-2 whitespace-nowrap tabular-nums">
          {best.get(figure)?.has(conversationId) && <Badge tone="success">{label}</Badge>}
          {formatOptional(answer.metrics?.[figure], format)}
        </span>
      </Cell>
    ));
  return (
    <Table caption="Results">
      <thead>
        <tr>
          <HeadCell>Model</HeadCell>
          <HeadCell>Status</HeadCell>
          {timed.map(({ label }) => (
            <HeadCell key={label} align="right">
              {label}
            </HeadCell>
          ))}
          <HeadCell align="right">Tokens in</HeadCell>
          <HeadCell align="right">Tokens out</HeadCell>
          {priced.map(({ label }) => (
            <HeadCell key={label} align="right">
              {label}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {answers.map((answer) => {
          const { metrics, status } = answer.answer;
          return (
            <TableRow key={answer.conversationId}>
              <Cell>
                <span title={answer.model} className="wrap-anywhere block min-w-32 font-medium">
                  {names[answer.model] ?? answer.model}
                </span>
              </Cell>
              <Cell>
                <Badge tone={STATES[status].tone}>{STATES[status].label}</Badge>
              </Cell>
              {cells(answer, timed)}
              <Cell align="right">
                <span className="tabular-nums">{formatOptional(metrics?.inputTokens, formatTokens)}</span>
              </Cell>
              <Cell align="right">
                <span className="tabular-nums">{formatOptional(metrics?.outputTokens, formatTokens)}</span>
              </Cell>
              {cells(answer, priced)}
            </TableRow>
          );
        })}
      </tbody>
    </Table>
  );
}
