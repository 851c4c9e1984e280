import { CircleDollarSign, Cpu, Hash, Workflow } from "lucide-react";
import { formatCount, formatTokens } from "~/ui/format";
import type { Overview } from "../overview.schema";
import { changeText, StatCard } from "./stat-card";

const MODEL_STATES: Record<Overview["model"]["status"], string> = {
  online: "Online",
  warning: "Warning",
  offline: "Offline",
  unknown: "Not checked yet",
  "built-in": "Built-in",
};

/** Figures shown until there are real ones (console.md, section 9). */
const SAMPLE = { tokens: 127_400, spend: 23.47, queued: 3 };

/** The four figures at the top. */
export function Stats({ overview }: { overview: Overview }) {
  const { change, has, model, stats } = overview;
  const { spendToday, tokensToday, workflowsQueued, workflowsRunning } = stats;
  return (
    <div className="grid grid-cols-2 gap-2 sm:gap-4 lg:grid-cols-4">
      <StatCard
        icon={<Cpu />}
        label="Current Model"
        value={model.name}
        note={MODEL_STATES[model.status]}
        to="/chat"
      />
      <StatCard
        icon={<Hash />}
        label="Tokens Today"
        value={formatTokens(has.usage ? tokensToday : SAMPLE.tokens)}
        note={changeText(change.tokens)}
        isSample={!has.usage}
        to="/chat"
      />
      <StatCard
        icon={<CircleDollarSign />}
        label="Spend Today"
        value={`$${(has.usage ? spendToday : SAMPLE.spend).toFixed(2)}`}
        note={changeText(change.spend)}
        isSample={!has.usage}
        to="/chat"
      />
      <StatCard
        icon={<Workflow />}
        label="Workflows"
        value={`${formatCount(has.workflows ? workflowsQueued : SAMPLE.queued)} queued`}
        note={has.workflows ? `${formatCount(workflowsRunning)} running` : "— running"}
        isSample={!has.workflows}
        to="/workflows/runs"
      />
    </div>
  );
}
