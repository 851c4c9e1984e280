import {
  Bell,
  Braces,
  Calculator,
  CalendarClock,
  ChartColumn,
  CircleDot,
  Code,
  Database,
  EyeOff,
  Globe,
  Languages,
  type LucideIcon,
  MessageSquare,
  Plug,
  Rss,
  Shield,
  ShieldAlert,
  Store,
  Table,
} from "lucide-react";
import { cx } from "~/ui/class-names";
import type { PluginIconName } from "../icons.shared";

const ICONS: Readonly<Record<PluginIconName, LucideIcon>> = {
  Bell,
  Braces,
  Calculator,
  CalendarClock,
  ChartColumn,
  CircleDot,
  Code,
  Database,
  EyeOff,
  Globe,
  Languages,
  MessageSquare,
  Plug,
  Rss,
  Shield,
  ShieldAlert,
  Store,
  Table,
};

const isKnown = (name: string): name is PluginIconName => Object.hasOwn(ICONS, name);

export function PluginIcon({ name, className }: { name: string; className?: string }) {
  const Icon = isKnown(name) ? ICONS[name] : Plug;
  return (
    <span
      aria-hidden="true"
      className={cx(
        "grid size-9 shrink-0 place-items-center rounded-md bg-primary-soft text-primary-ink",
        className,
      )}
    >
      <Icon className="size-4.5" />
    </span>
  );
}
