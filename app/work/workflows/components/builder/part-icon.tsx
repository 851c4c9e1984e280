import {
  Braces,
  CalendarClock,
  CircleAlert,
  ClipboardList,
  CornerDownLeft,
  Database,
  FilePlus,
  GitBranch,
  Globe,
  Mail,
  Play,
  RefreshCw,
  Repeat,
  Rss,
  ScrollText,
  Split,
  Timer,
  UserCheck,
  WalletCards,
  Webhook,
  Wrench,
} from "lucide-react";
import { cx } from "~/ui/class-names";
import { icons } from "~/ui/icons";
import type { PartType } from "../../builder.schema";

const COLOURS = {
  trigger: "bg-success-soft text-success-ink",
  action: "bg-info-soft text-info-ink",
  condition: "bg-warning-soft text-warning-ink",
  output: "bg-secondary-soft text-secondary-ink",
};

/** Of a step or trigger type; another one for what is unknown. */
export const iconOf = (name: string) => partIcons[name as keyof typeof partIcons] ?? partIcons.Workflow;

export function PartIcon({ type }: { type: Pick<PartType, "icon" | "node"> | undefined }) {
  const Icon = iconOf(type?.icon ?? "Workflow");
  return (
    <span
      className={cx(
        "flex size-8 shrink-0 items-center justify-center rounded-md",
        COLOURS[type?.node ?? "action"],
      )}
    >
      <Icon aria-hidden="true" className="size-4" />
    </span>
  );
}

/** Icons available to step and trigger types. */
export const partIcons = {
  ...icons,
  Braces,
  CalendarClock,
  CircleAlert,
  ClipboardList,
  CornerDownLeft,
  Database,
  FilePlus,
  GitBranch,
  Globe,
  Mail,
  Play,
  RefreshCw,
  Repeat,
  Rss,
  ScrollText,
  Split,
  Timer,
  UserCheck,
  WalletCards,
  Webhook,
  Wrench,
};
