import { type Edge, Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { CircleAlert } from "lucide-react";
import { memo } from "react";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import type { Draft, DraftConnection, DraftPart, PartKind, PartType } from "../../builder.schema";
import { connectionsOf, findPartType, partTitle } from "../../builder-draft.shared";
import { choiceOf, choiceSentence } from "../../schedule.shared";
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
  },
  "part"
>;

const HANDLE_COLOURS: Record<string, string> = {
  true: "text-success-ink",
  approved: "text-success-ink",
  false: "text-danger-ink",
  refused: "text-danger-ink",
  error: "text-danger-ink",
};

export const CanvasNode = memo(function CanvasNode({ data, selected }: NodeProps<PartNode>) {
  const { type, title, summary, problems, handles } = data;
  return (
    <div
      className={cx(
        "w-60 rounded-lg border bg-surface shadow-card",
        selected ? "border-primary-ink" : problems > 0 ? "border-danger-ink" : "border-edge",
      )}
    >
      {type?.node !== "trigger" && <Handle type="target" position={Position.Top} />}
      <div className="flex items-start gap-2.5 p-3">
        <PartIcon type={type} />
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium text-ink text-sm">{title}</p>
          <p className="truncate text-muted text-xs">{summary || type?.label || " "}</p>
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
      {handles.map((handle, index) => (
        <Handle
          key={handle}
          id={handle}
          type="source"
          position={Position.Bottom}
          style={{ left: `${((index + 0.5) / handles.length) * 100}%` }}
        />
      ))}
    </div>
  );
});

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
    if (TEXTS.has(control.kind) && typeof value === "string" && value.trim())
      return value.trim().slice(0, 80).toWellFormed();
  }
  return (part.name?.trim() ? type?.label : type?.description) ?? part.type;
}

/** Default positions: triggers side by side, steps in a column. */
const stacked = (kind: PartKind, index: number): Point =>
  kind === "triggers" ? { x: index * GAP.x, y: 0 } : { x: 0, y: (index + 1) * GAP.y };

export function toNodes(
  draft: Draft,
  types: Types,
  problems: Readonly<Record<string, readonly string[]>>,
  tidied: ReadonlyMap<string, Point>,
): PartNode[] {
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
      return {
        id: part.id,
        type: "part",
        position: part.position ?? tidied.get(part.id) ?? stacked(kind, index),
        ariaLabel: `${title}, ${type?.node ?? "step"}`,
        data: {
          type,
          title,
          summary: summaryOf(part, type),
          problems: countProblems(problems, kind, index),
          handles,
        },
      };
    }),
  );
}

export const edgeId = ({ from, to, branch = "" }: DraftConnection) => `${from}>${to}:${branch}`;

/** Dashed edges stand for the list's order. */
export function toEdges(draft: Draft, types: Types): Edge[] {
  const implied = draft.connections.length === 0;
  const connections = connectionsOf(draft, types);
  const ids = new Set([...draft.triggers, ...draft.steps].map(({ id }) => id));
  const unique = new Map(connections.map((one) => [edgeId(one), one]));
  return [...unique].flatMap(([id, { from, to, branch }]) => {
    if (!ids.has(from) || !ids.has(to)) return [];
    const label = `From ${from}${branch ? ` (${branch})` : ""} to ${to}`;
    return [
      {
        id,
        source: from,
        target: to,
        sourceHandle: branch ?? NEXT,
        ariaLabel: label,
        deletable: !implied,
        selectable: !implied,
        focusable: !implied,
        ...(implied ? { className: "implied" } : {}),
      },
    ];
  });
}

/** The connection of an edge. */
export function toConnection(line: {
  source: string;
  target: string;
  sourceHandle?: string | null | undefined;
}): DraftConnection {
  const { source, target, sourceHandle } = line;
  return {
    from: source,
    to: target,
    ...(sourceHandle && sourceHandle !== NEXT ? { branch: sourceHandle } : {}),
  };
}
