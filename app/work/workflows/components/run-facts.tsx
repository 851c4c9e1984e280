import type { ReactNode } from "react";
import { formatCount } from "~/ui/format";
import type { RunStep } from "../runs.schema";

const sum = (steps: readonly RunStep[], of: (step: RunStep) => number | null) => {
  const values = steps.map(of).filter((value) => value !== null);
  return values.length > 0 ? values.reduce((total, value) => total + value, 0) : null;
};

/** US dollars; four decimals for small amounts. */
export const formatCost = (micros: number) =>
  `$${(micros / 1_000_000).toFixed(micros > 0 && micros < 1_000_000 ? 4 : 2)}`;

interface RunFactsProps {
  steps: readonly RunStep[];
  trigger: string;
  duration: string | null;
}

export function RunFacts({ steps, trigger, duration }: RunFactsProps) {
  const input = sum(steps, (step) => step.inputTokens);
  const output = sum(steps, (step) => step.outputTokens);
  const cost = sum(steps, (step) => step.costMicros);
  const retries = steps.reduce((total, { attempts }) => total + Math.max(0, attempts - 1), 0);
  return (
    <dl className="mb-4 flex flex-wrap gap-x-8 gap-y-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-card">
      <Fact label="Trigger">{trigger}</Fact>
      <Fact label="Duration">{duration ?? "—"}</Fact>
      <Fact label="Steps run">{formatCount(steps.length)}</Fact>
      {retries > 0 && <Fact label="Retries">{formatCount(retries)}</Fact>}
      {(input !== null || output !== null) && (
        <Fact label="Tokens">
          {formatCount(input ?? 0)} in · {formatCount(output ?? 0)} out
        </Fact>
      )}
      {cost !== null && <Fact label="Cost">{formatCost(cost)}</Fact>}
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  );
}
