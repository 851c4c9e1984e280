import { CircleDollarSign, Cpu, Hash, Workflow } from "lucide-react";
import { formatCount, formatSpend, formatTokens } from "~/ui/format";
import type { CurrentModel, Overview } from "../overview.schema";
import { changeText, StatCard } from "./stat-card";

const MODEL_STATES: Record<CurrentModel["status"], string> = {
  online: "Online",
  warning: "Warning",
  offline: "Offline",
  unknown: "Not checked yet",
  "built-in": "Built-in",
};

/** Figures shown until there are real ones (console.md, section 9). */
const SAMPLE = { tokens: 127_400, spend: 23.47, queued: 3 };

/** Replaces a figure that failed to load. */
const NONE = "—";
const LOAD_FAILED = "Couldn't be loaded";

function progressText(workflows: Overview["workflows"]): string {
  if (!workflows) return LOAD_FAILED;
  if (!workflows.hasData) return "— running";
  const { running, waiting } = workflows;
  return `${formatCount(running)} running${waiting > 0 ? ` · ${formatCount(waiting)} waiting` : ""}`;
}

export function Stats({ overview }: { overview: Overview }) {
  const { model, usage, workflows } = overview;
  return (
    <div className="grid grid-cols-2 gap-2 sm:gap-4 lg:grid-cols-4">
      <StatCard
        icon={<Cpu />}
        label="Current Model"
        value={model?.name ?? NONE}
        note={model ? MODEL_STATES[model.status] : LOAD_FAILED}
        to="/chat"
      />
      <StatCard
        icon={<Hash />}
        label="Tokens Today"
        value={usage ? formatTokens(usage.hasData ? usage.tokens : SAMPLE.tokens) : NONE}
        note={usage ? changeText(usage.change.tokens) : LOAD_FAILED}
        isSample={usage?.hasData === false}
        to="/usage?range=24h"
      />
      <StatCard
        icon={<CircleDollarSign />}
        label="Spend Today"
        value={usage ? formatSpend(usage.hasData ? usage.spend : SAMPLE.spend) : NONE}
        note={usage ? changeText(usage.change.spend) : LOAD_FAILED}
        isSample={usage?.hasData === false}
        to="/usage?range=24h&metric=spend"
      />
      <StatCard
        icon={<Workflow />}
        label="Workflows"
        value={
          workflows ? `${formatCount(workflows.hasData ? workflows.queued : SAMPLE.queued)} queued` : NONE
        }
        note={progressText(workflows)}
        isSample={workflows?.hasData === false}
        to="/workflows/runs"
      />
    </div>
  );
}
