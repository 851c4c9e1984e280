import { Badge, type Tone } from "~/ui/badge";
import type { RunState } from "../runs.schema";

const VARIANTS: Record<RunState, { label: string; tone: Tone }> = {
  queued: { label: "Queued", tone: "neutral" },
  running: { label: "Running", tone: "info" },
  waiting: { label: "Waiting", tone: "warning" },
  succeeded: { label: "Succeeded", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
  cancelled: { label: "Canceled", tone: "neutral" },
  skipped: { label: "Skipped", tone: "neutral" },
};

export const runStateLabel = (state: RunState) => VARIANTS[state].label;

export function RunStateBadge({ state }: { state: RunState }) {
  const { label, tone } = VARIANTS[state];
  return <Badge tone={tone}>{label}</Badge>;
}

const TRIGGERS: Record<string, string> = {
  manual: "Manual",
  schedule: "Schedule",
  webhook: "Webhook",
  call: "Another workflow",
  failure: "Failed run",
  document: "New document",
  budget: "Budget",
  tool: "Tool of a chat",
  form: "Form",
  feed: "Feed",
  email: "Email",
};

export const triggerLabel = (type: string) => TRIGGERS[type] ?? type;
