import type { Edge } from "@xyflow/react";
import type { Draft, DraftConnection, DraftPart, PartKind, PartType } from "../../builder.schema";
import { findPartType, impliedConnections, partTitle } from "../../builder-draft.shared";
import { NEXT, type PartNode } from "./canvas-node";
import { countProblems } from "./problems";

type Types = readonly PartType[];
type Point = { x: number; y: number };

/** In pixels. */
const GAP = { x: 280, y: 130 };

const TEXTS = new Set<string>(["text", "textarea", "code", "expression", "condition"]);

function summaryOf(part: DraftPart, type: PartType | undefined): string {
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
  const connections = implied ? impliedConnections(draft, types) : draft.connections;
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
