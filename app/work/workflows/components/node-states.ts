import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleSlash,
  CircleX,
  History,
  LoaderCircle,
  Play,
} from "lucide-react";
import type { NodeState } from "../run-drawing.shared";

/** How a step's state looks on graphs. */
export const NODE_STATES: Record<
  NodeState,
  { label: string; icon: typeof Circle; ink: string; box: string }
> = {
  succeeded: {
    label: "Succeeded",
    icon: CircleCheck,
    ink: "text-success-ink",
    box: "border-success-ink bg-surface",
  },
  failed: { label: "Failed", icon: CircleX, ink: "text-danger-ink", box: "border-danger-ink bg-danger-soft" },
  running: {
    label: "Running",
    icon: LoaderCircle,
    ink: "text-info-ink motion-safe:[&_svg]:animate-spin",
    box: "border-info-ink bg-info-soft",
  },
  waiting: {
    label: "Waiting",
    icon: CircleHelp,
    ink: "text-warning-ink",
    box: "border-warning-ink bg-warning-soft",
  },
  kept: { label: "Kept", icon: History, ink: "text-muted", box: "border-edge bg-surface" },
  cancelled: { label: "Canceled", icon: CircleSlash, ink: "text-muted", box: "border-edge bg-surface" },
  skipped: { label: "Skipped", icon: CircleSlash, ink: "text-muted", box: "border-edge bg-surface" },
  started: {
    label: "Started the run",
    icon: Play,
    ink: "text-success-ink",
    box: "border-success-ink bg-surface",
  },
  pending: { label: "Not started", icon: Circle, ink: "text-muted", box: "border-line bg-surface" },
  unused: {
    label: "Not reached",
    icon: CircleDashed,
    ink: "text-muted",
    box: "border-line border-dashed bg-surface",
  },
};
