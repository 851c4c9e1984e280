import type { CSSProperties, ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { formatDuration } from "~/ui/format";
import { ScrollRegion } from "~/ui/scroll-region";
import {
  type DrawnLine,
  type DrawnNode,
  NODE_SIZE,
  type RunDrawing,
  stepAnchor,
} from "../run-drawing.shared";
import { NODE_STATES } from "./node-states";

/** It shrinks before it scrolls: two branches fit on a phone, and three beside a run's steps. */
const MIN_SCALE = { phone: 0.66, wide: 0.8 };

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)}%`;

interface GraphLine extends Omit<DrawnLine, "taken"> {
  className: string;
  /** In CSS pixels. */
  width: number;
  isDashed: boolean;
  /** Higher ones are drawn over the others. */
  level: number;
}

interface GraphProps {
  label: string;
  className?: string;
  width: number;
  height: number;
  nodes: readonly { id: string; x: number; y: number; content: ReactNode }[];
  lines: readonly GraphLine[];
}

/** A server-rendered graph: boxes of `NODE_SIZE` and the lines between them. */
export function Graph({ label, className, width, height, nodes, lines }: GraphProps) {
  return (
    <ScrollRegion
      label={label}
      className={cx("overflow-auto rounded-lg border border-line bg-sunken p-3", className)}
    >
      <div
        className="relative mx-auto w-(--whole) min-w-(--phone) max-w-full sm:min-w-(--wide)"
        style={
          {
            "--whole": `${width}px`,
            "--wide": `${width * MIN_SCALE.wide}px`,
            "--phone": `${width * MIN_SCALE.phone}px`,
            height,
          } as CSSProperties
        }
      >
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full"
        >
          {[...lines]
            .sort((a, b) => a.level - b.level)
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
              {node.content}
            </li>
          ))}
        </ol>
      </div>
    </ScrollRegion>
  );
}

function Line({ line: { from, to, width, isDashed, className } }: { line: GraphLine }) {
  const bend = Math.max(16, Math.abs(to.y - from.y) / 2);
  return (
    <path
      d={`M${from.x} ${from.y} C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`}
      fill="none"
      vectorEffect="non-scaling-stroke"
      strokeWidth={width}
      strokeDasharray={isDashed ? "4 4" : undefined}
      className={className}
    />
  );
}

const TAKEN = "stroke-success-ink forced-colors:stroke-[CanvasText]";
const OTHER = "stroke-edge forced-colors:stroke-[GrayText]";

/** The run's version: node states by color, icon and text, with links to the steps. */
export function RunGraph({ drawing: { nodes, lines, ...size } }: { drawing: RunDrawing }) {
  return (
    <Graph
      label="Graph"
      className="max-h-[38rem] xl:sticky xl:top-18"
      {...size}
      nodes={nodes.map((node) => ({ ...node, content: <Node node={node} /> }))}
      lines={lines.map(({ taken, ...line }) => ({
        ...line,
        className: taken ? TAKEN : OTHER,
        width: taken ? 2 : 1.5,
        isDashed: !taken,
        level: Number(taken),
      }))}
    />
  );
}

function Node({ node }: { node: DrawnNode }) {
  const { title, state, key, count, took } = node;
  const { label, icon: Icon, ink, box } = NODE_STATES[state];
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
          {count > 1 && ` · ${count} times`}
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
