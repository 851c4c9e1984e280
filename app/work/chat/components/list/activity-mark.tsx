import { Badge, StatusDot, type Tone } from "~/ui/badge";
import type { Activity } from "../../chat.schema";

const MARKS: Record<Activity, { tone: Tone; label: string; className?: string }> = {
  running: {
    tone: "info",
    label: "Writing an answer",
    className: "animate-pulse motion-reduce:animate-none",
  },
  waiting: { tone: "warning", label: "Waiting for your approval" },
  unread: { tone: "primary", label: "Unread answer" },
};

/** Status of a conversation's last answer as a dot, with a label for screen readers. */
export function ActivityMark({ activity }: { activity: Activity }) {
  const { tone, label, className = "" } = MARKS[activity];
  return (
    <span title={label} className="flex shrink-0 items-center">
      <StatusDot tone={tone} className={className} />
      <span className="sr-only">, {label}</span>
    </span>
  );
}

export function ActivityBadge({ activity }: { activity: Activity }) {
  const { tone, label } = MARKS[activity];
  return (
    <>
      <span className="sm:hidden">
        <ActivityMark activity={activity} />
      </span>
      <span className="max-sm:hidden">
        <Badge tone={tone}>{label}</Badge>
      </span>
    </>
  );
}
