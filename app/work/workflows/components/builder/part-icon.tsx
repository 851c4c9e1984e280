import {
  CalendarClock,
  CornerDownLeft,
  Database,
  FilePlus,
  GitBranch,
  Globe,
  Mail,
  Play,
  Repeat,
  ScrollText,
  Timer,
  UserCheck,
  Webhook,
  Wrench,
} from "lucide-react";
import { cx } from "~/ui/class-names";
import { icons } from "~/ui/icons";
import type { PartType } from "../../builder.schema";
import { PART_SIZE, type TemplatePicture } from "../../template-picture.shared";

const COLOURS = {
  trigger: "bg-success-soft text-success-ink",
  action: "bg-info-soft text-info-ink",
  condition: "bg-warning-soft text-warning-ink",
  output: "bg-secondary-soft text-secondary-ink",
};

const iconOf = (name: string) => partIcons[name as keyof typeof partIcons] ?? partIcons.Workflow;

export function PartIcon({ type }: { type: PartType | undefined }) {
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

const FILLS = {
  trigger: "fill-success-soft text-success-ink",
  action: "fill-info-soft text-info-ink",
  condition: "fill-warning-soft text-warning-ink",
  output: "fill-secondary-soft text-secondary-ink",
};

/** The graph of a template; its name says what it does. */
export function TemplateDrawing({ picture: { width, height, nodes, lines } }: { picture: TemplatePicture }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`-1 -1 ${width + 2} ${height + 2}`}
      className="h-28 w-full max-w-full"
      preserveAspectRatio="xMidYMid meet"
    >
      {lines.map(({ id, from, to }) => {
        const bend = (to.x - from.x) / 2;
        return (
          <path
            key={id}
            d={`M${from.x} ${from.y} C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`}
            fill="none"
            strokeWidth="1.5"
            className="stroke-edge"
          />
        );
      })}
      {nodes.map(({ id, icon, kind, x, y }) => {
        const Icon = iconOf(icon);
        return (
          <g key={id} className={FILLS[kind]}>
            <rect x={x} y={y} width={PART_SIZE} height={PART_SIZE} rx="6" className="stroke-line" />
            <g transform={`translate(${x + 7} ${y + 7})`}>
              <Icon size={14} />
            </g>
          </g>
        );
      })}
    </svg>
  );
}

/** Icons available to step and trigger types. */
export const partIcons = {
  ...icons,
  CalendarClock,
  CornerDownLeft,
  Database,
  FilePlus,
  GitBranch,
  Globe,
  Mail,
  Play,
  Repeat,
  ScrollText,
  Timer,
  UserCheck,
  Webhook,
  Wrench,
};
