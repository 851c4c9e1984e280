import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleSlash,
  CircleX,
  LoaderCircle,
  Play,
} from "lucide-react";
import type { CSSProperties } from "react";
import { cx } from "~/ui/class-names";
import { formatDuration } from "~/ui/format";
import { ScrollRegion } from "~/ui/scroll-region";
import {
  type DrawnLine,
  type DrawnNode,
  NODE_SIZE,
  type NodeState,
  type RunDrawing,
} from "../run-drawing.shared";
import { stepAnchor } from "./run-steps";

const VARIANTS: Record<NodeState, { label: string; icon: typeof Circle; ink: string; box: string }> = {
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

/** On a phone it shrinks to two thirds before it scrolls, so that two branches fit. */
const MIN_SCALE = 0.66;

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)}%`;

/** A server-rendered graph of the run's version: node states by color, icon and text, with links to the steps. */
export function RunGraph({ drawing }: { drawing: RunDrawing }) {
  const { width, height, nodes, lines } = drawing;
  return (
    <ScrollRegion
      label="Graph"
      className="max-h-[38rem] overflow-auto xl:sticky xl:top-18 rounded-lg border border-line bg-sunken p-3"
    >
      <div
        className="relative mx-auto min-w-(--narrow) max-w-(--wide) sm:w-(--wide)"
        style={{ "--wide": `${width}px`, "--narrow": `${width * MIN_SCALE}px`, height } as CSSProperties}
      >
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full"
        >
          {/* Taken lines on top. */}
          {[...lines]
            .sort((a, b) => Number(a.taken) - Number(b.taken))
            .map((line) => (
              <Line key={line.id} line={line} />
            ))}
        </svg>
        {lines.map(
          ({ id, branch, from }) =>
            branch && (
              <span
                key={id}
                aria-hidden="true"
                className="absolute -translate-x-1/2 bg-sunken px-0.5 text-muted text-xs"
                style={{ left: percent(from.x, width), top: from.y + 2 }}
              >
                {branch}
              </span>
            ),
        )}
        <ol>
          {nodes.map((node) => (
            <li
              key={node.id}
              className="absolute"
              style={{
                left: percent(node.x, width),
                top: node.y,
                width: percent(NODE_SIZE.width, width),
                height: NODE_SIZE.height,
              }}
            >
              <Node node={node} />
            </li>
          ))}
        </ol>
      </div>
    </ScrollRegion>
  );
}

function Line({ line: { from, to, taken } }: { line: DrawnLine }) {
  const bend = Math.max(16, Math.abs(to.y - from.y) / 2);
  return (
    <path
      d={`M${from.x} ${from.y} C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`}
      fill="none"
      vectorEffect="non-scaling-stroke"
      strokeWidth={taken ? 2 : 1.5}
      strokeDasharray={taken ? undefined : "4 4"}
      className={cx(
        taken
          ? "stroke-success-ink forced-colors:stroke-[CanvasText]"
          : "stroke-edge forced-colors:stroke-[GrayText]",
      )}
    />
  );
}

function Node({ node }: { node: DrawnNode }) {
  const { title, state, key, count, took } = node;
  const { label, icon: Icon, ink, box } = VARIANTS[state];
  const className = cx("flex size-full items-center gap-2 rounded-md border px-2.5 shadow-card", box);
  const content = (
    <>
      <span className={cx("shrink-0", ink)}>
        <Icon aria-hidden="true" className="size-4" />
      </span>
      <span className="min-w-0">
        <span className="block truncate font-medium text-ink text-sm">{title}</span>
        <span
          className={cx(
            "block truncate text-xs",
            state === "pending" || state === "unused" ? "text-muted" : ink,
          )}
        >
          {node.kind === "trigger" && state === "unused" ? "Not used" : label}
          {count > 1 && ` · ${count} items`}
          {took !== null && ` · ${formatDuration(took)}`}
        </span>
      </span>
    </>
  );
  return key === null ? (
    <span className={className} title={title}>
      {content}
    </span>
  ) : (
    <a href={`#${stepAnchor(key)}`} title={title} className={cx(className, "hover:border-primary-ink")}>
      {content}
    </a>
  );
}
