import { type Edge, Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { CircleAlert, Plus } from "lucide-react";
import { createContext, memo, useContext } from "react";
import { cx } from "~/ui/class-names";
import { countOf, formatDuration } from "~/ui/format";
import type { Draft, DraftConnection, DraftPart, PartKind, PartType } from "../../builder.schema";
import { connectionsOf, findPartType, partTitle } from "../../builder-draft.shared";
import type { Spot } from "../../graph-edits.shared";
import type { DrawnNode, RunTrace } from "../../run-drawing.shared";
import { choiceOf, choiceSentence } from "../../schedule.shared";
import { isParallel } from "../../workflows.shared";
import { NODE_STATES } from "../node-states";
import { countProblems } from "./builder-context";
import { PartIcon } from "./part-icon";

/** Handle of the unnamed branch. */
const NEXT = "next";

export type PartNode = Node<
  {
    type: PartType | undefined;
    title: string;
    /** One line about its settings. */
    summary: string;
    problems: number;
    /** Outgoing branches; `next` is unnamed. */
    handles: readonly string[];
    /** Those of them that lead nowhere yet, or to one branch of several. */
    free: readonly string[];
    /** Between an exit and the '+' below it, in pixels. */
    beside: number;
    /** Its state in the run that is drawn. */
    trace: Pick<DrawnNode, "state" | "count" | "took"> | undefined;
  },
  "part"
>;

/** Asks for a component for a place on the canvas. */
export const SpotContext = createContext<(spot: Spot, opener: HTMLElement) => void>(() => undefined);

const HANDLE_COLOURS: Record<string, string> = {
  true: "text-success-ink",
  approved: "text-success-ink",
  false: "text-danger-ink",
  refused: "text-danger-ink",
  error: "text-danger-ink",
};

const branchOf = (handle: string | null | undefined) => (handle && handle !== NEXT ? { branch: handle } : {});

export const CanvasNode = memo(function CanvasNode({ id, data, selected }: NodeProps<PartNode>) {
  const { type, title, summary, problems, handles, free, beside, trace } = data;
  const state = trace && NODE_STATES[trace.state];
  return (
    <div
      className={cx(
        "w-60 rounded-lg border shadow-card",
        state ? state.box : "bg-surface",
        selected
          ? "border-primary-ink outline-2 outline-primary-ink"
          : problems > 0
            ? "border-danger-ink"
            : !state && "border-edge",
      )}
    >
      {type?.node !== "trigger" && <Handle type="target" position={Position.Top} />}
      <div className="flex items-start gap-2.5 p-3">
        <PartIcon type={type} />
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium text-ink text-sm">{title}</p>
          {trace && state ? (
            <p className={cx("flex items-center gap-1 text-xs", state.ink)}>
              <state.icon aria-hidden="true" className="size-3.5 shrink-0" />
              <span className="truncate">
                {state.label}
                {trace.count > 1 && ` · ${trace.count} times`}
                {trace.took !== null && ` · ${formatDuration(trace.took)}`}
              </span>
            </p>
          ) : (
            <p className="truncate text-muted text-xs">{summary || type?.label || " "}</p>
          )}
        </div>
        {problems > 0 && (
          <span className="flex items-center gap-1 text-danger-ink text-xs">
            <CircleAlert aria-hidden="true" className="size-4" />
            <span className="sr-only">{countOf(problems, "problem")}</span>
          </span>
        )}
      </div>
      {(handles.length > 1 || handles[0] !== NEXT) && (
        <div className="flex justify-around border-line border-t px-3 py-1 text-xs">
          {handles.map((handle) => (
            <span key={handle} className={HANDLE_COLOURS[handle] ?? "text-muted"}>
              {handle}
            </span>
          ))}
        </div>
      )}
      {handles.map((handle, index) => {
        const left = `${((index + 0.5) / handles.length) * 100}%`;
        return (
          <span key={handle} className="contents">
            <Handle id={handle} type="source" position={Position.Bottom} style={{ left }} />
            {free.includes(handle) && (
              <span
                style={{ left: `calc(${left} + ${beside}px)` }}
                className="nodrag nopan pointer-events-none absolute top-full flex -translate-x-1/2 flex-col items-center pt-1.5"
              >
                <span aria-hidden="true" className="h-3.5 w-px bg-edge" />
                <AddButton
                  label={`${type?.type === "parallel" ? "Add a branch to" : "Add after"} ${title}${handle === NEXT ? "" : ` (${handle})`}`}
                  spot={{ from: id, ...branchOf(handle) }}
                />
              </span>
            )}
          </span>
        );
      })}
    </div>
  );
});

/** On lines and free exits. */
export function AddButton({ label, spot }: { label: string; spot: Spot }) {
  const ask = useContext(SpotContext);
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={(event) => {
        event.stopPropagation();
        ask(spot, event.currentTarget);
      }}
      className="pointer-events-auto grid size-6 cursor-pointer place-items-center rounded-full border border-edge bg-surface text-muted hover:border-primary-ink hover:text-primary-ink pointer-coarse:size-9"
    >
      <Plus aria-hidden="true" className="size-3.5" />
    </button>
  );
}

type Types = readonly PartType[];
type Point = { x: number; y: number };

/** In pixels. */
const GAP = { x: 280, y: 130 };

const TEXTS = new Set<string>(["text", "textarea", "code", "expression", "condition", "schedule"]);

function summaryOf(part: DraftPart, type: PartType | undefined): string {
  if (part.type === "schedule") {
    const choice = choiceOf(String(part.config.cron));
    if (choice) return choiceSentence(choice);
  }
  for (const { name, control } of type?.fields ?? []) {
    const value = part.config[name];
    // A name that stands in every new step says nothing about this one.
    if (value === type?.defaults[name]) continue;
    if (TEXTS.has(control.kind) && typeof value === "string" && value.trim())
      return value.trim().slice(0, 80).toWellFormed();
  }
  return (part.name?.trim() ? type?.label : type?.description) ?? part.type;
}

/** Default positions: triggers side by side, steps in a column. */
const stacked = (kind: PartKind, index: number): Point =>
  kind === "triggers" ? { x: index * GAP.x, y: 0 } : { x: 0, y: (index + 1) * GAP.y };

const OFFSETS = [0, -60, 60, -100, 100];
/** Least distance of the middles of two '+' (px). */
const APART = 30;

/** Where another branch is added, in pixels from the exit: not below the '+' of a line, which is half-way. */
const besideLines = (at: Point, targets: readonly Point[]): number =>
  OFFSETS.find((offset) => targets.every(({ x }) => Math.abs((x - at.x) / 2 - offset) >= APART)) ?? 0;

export function toNodes(
  draft: Draft,
  types: Types,
  problems: Readonly<Record<string, readonly string[]>>,
  tidied: ReadonlyMap<string, Point>,
  run?: RunTrace,
): PartNode[] {
  const lines = connectionsOf(draft, types);
  const positions = new Map(
    (["triggers", "steps"] as const).flatMap((kind) =>
      draft[kind].map(
        (part, index) => [part.id, part.position ?? tidied.get(part.id) ?? stacked(kind, index)] as const,
      ),
    ),
  );
  const taken = new Set(lines.map(({ from, branch }) => `${from}:${branch ?? NEXT}`));
  const unnamed = new Set(draft.connections.filter(({ branch }) => !branch).map(({ from }) => from));
  return (["triggers", "steps"] as const).flatMap((kind) =>
    draft[kind].map((part, index): PartNode => {
      const type = findPartType(types, kind, part.type);
      const branches = type?.branches ?? [];
      const handles = [
        ...(branches.length === 0 || unnamed.has(part.id) ? [NEXT] : []),
        ...branches,
        ...(part.options?.onError === "branch" ? ["error"] : []),
      ];
      const title = partTitle(part, type);
      const position = positions.get(part.id) ?? stacked(kind, index);
      const targets = lines.flatMap(({ from, to }) => (from === part.id && positions.get(to)) || []);
      return {
        id: part.id,
        type: "part",
        position,
        ariaLabel: `${title}, ${type?.node ?? "step"}`,
        data: {
          type,
          title,
          summary: summaryOf(part, type),
          problems: countProblems(problems, kind, index),
          handles,
          beside: isParallel(part) ? besideLines(position, targets) : 0,
          free: handles.filter((handle) => isParallel(part) || !taken.has(`${part.id}:${handle}`)),
          trace: run?.nodes[part.id],
        },
      };
    }),
  );
}

export const edgeId = ({ from, to, branch = "" }: DraftConnection) => `${from}>${to}:${branch}`;

/** Dashed edges stand for the list's order. */
export function toEdges(draft: Draft, types: Types, run?: RunTrace): PartEdge[] {
  const implied = draft.connections.length === 0;
  const taken = new Set(run?.taken);
  const titles = new Map(
    (["triggers", "steps"] as const).flatMap((kind) =>
      draft[kind].map((part) => [part.id, partTitle(part, findPartType(types, kind, part.type))] as const),
    ),
  );
  const unique = new Map(connectionsOf(draft, types).map((one) => [edgeId(one), one]));
  return [...unique].flatMap(([id, line]): PartEdge[] => {
    const { from, to, branch } = line;
    const [source, target] = [titles.get(from), titles.get(to)];
    if (source === undefined || target === undefined) return [];
    const exit = `${source}${branch ? ` (${branch})` : ""}`;
    return [
      {
        id,
        type: "line",
        source: from,
        target: to,
        sourceHandle: branch ?? NEXT,
        ariaLabel: `From ${from}${branch ? ` (${branch})` : ""} to ${to}`,
        deletable: !implied,
        selectable: !implied,
        focusable: !implied,
        className: cx(implied && "implied", run && (taken.has(id) ? "taken" : "untaken")),
        data: { line, label: `Insert between ${exit} and ${target}` },
      },
    ];
  });
}

export type PartEdge = Edge<{ line: DraftConnection; label: string }, "line">;

/** The connection of a line from a handle. */
export function toConnection(line: {
  source: string;
  target: string;
  sourceHandle?: string | null | undefined;
}): DraftConnection {
  return { from: line.source, to: line.target, ...branchOf(line.sourceHandle) };
}
