import { Link } from "@remix-run/react";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import { PART_SIZE, type TemplatePicture } from "../template-picture.shared";
import { iconOf } from "./builder/part-icon";

export interface Template {
  id: string;
  name: string;
  description: string;
  steps: number;
  /** The plugin's title. */
  from: string | null;
  picture: TemplatePicture;
}

/** Links that open a template in the builder. */
export function TemplateList({
  templates,
  className,
}: {
  templates: readonly Template[];
  className: string;
}) {
  return (
    <ul className={cx("grid gap-3", className)}>
      {templates.map(({ id, name, description, steps, from, picture }) => (
        <li
          key={id}
          className="relative flex flex-col rounded-lg border border-line bg-surface p-3 hover:bg-hover"
        >
          <div className="mb-3 rounded-md border border-line bg-sunken p-2">
            <TemplateDrawing picture={picture} />
          </div>
          <Link
            to={`/workflows/builder?template=${id}`}
            className="font-medium after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:outline-offset-[-2px]"
          >
            {name}
          </Link>
          <p className="mt-0.5 text-pretty text-muted">{description}</p>
          <p className="mt-1 text-muted text-xs">
            {countOf(steps, "step")}
            {from && ` · from ${from}`}
          </p>
        </li>
      ))}
    </ul>
  );
}

const FILLS = {
  trigger: "fill-success-soft text-success-ink",
  action: "fill-info-soft text-info-ink",
  condition: "fill-warning-soft text-warning-ink",
  output: "fill-secondary-soft text-secondary-ink",
};

/** The graph of a template; its name says what it does. */
function TemplateDrawing({ picture: { width, height, nodes, lines } }: { picture: TemplatePicture }) {
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
