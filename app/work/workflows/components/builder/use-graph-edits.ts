import { useReactFlow } from "@xyflow/react";
import { type PointerEvent, type RefObject, useRef } from "react";
import { showToast } from "~/ui/toast-store";
import type { Draft, PartType } from "../../builder.schema";
import { addPart } from "../../builder-draft.shared";
import {
  type Added,
  addAfter,
  applyPositions,
  type Copied,
  copyParts,
  insertPart,
  makeRoom,
  type Point,
  pasteParts,
  removeAll,
  type Spot,
} from "../../graph-edits.shared";
import { useBuilder } from "./builder-context";
import { useCanvasKeys } from "./canvas-clipboard";
import type { PartNode } from "./canvas-node";
import { NODE } from "./use-canvas-view";

/** Between the corners of nodes that follow each other, in pixels. */
const GAP = { x: 280, y: 140 };
/** Copies are moved by it. */
const COPY = { x: 40, y: 40 };

const refuseAdding = () => showToast({ kind: "error", title: "Failed to add component to workflow" });

interface GraphEditsProps {
  nodes: readonly PartNode[];
  selection: ReadonlySet<string>;
  setSelection(ids: ReadonlySet<string>): void;
  openForm(id: string): void;
  board: RefObject<HTMLElement>;
  /** Shows a node by its corner. */
  reveal(at: Point): void;
}

/** The edits of the canvas: each is one change, with the positions of all nodes, which then stay where they are. */
export function useGraphEdits(props: GraphEditsProps) {
  const { nodes, selection, setSelection, openForm, board, reveal } = props;
  const { draft, change, types } = useBuilder();
  const flow = useReactFlow<PartNode>();
  const pointerAt = useRef<Point>();
  const parts = [...draft.triggers, ...draft.steps];
  // A part that was added a moment ago isn't a node yet.
  const positions = new Map(parts.flatMap(({ id, position }) => (position ? [[id, position] as const] : [])));
  for (const { id, position } of nodes) positions.set(id, position);
  const rounded = ({ x, y }: Point) => ({ x: Math.round(x), y: Math.round(y) });

  const freePosition = (at: Point): Point => {
    const { x, y } = rounded(at);
    const isTaken = (column: number) =>
      [...positions.values()].some((at) => Math.abs(at.x - column) < 200 && Math.abs(at.y - y) < 100);
    let column = x;
    while (isTaken(column)) column += GAP.x;
    return { x: column, y };
  };
  const apply = ({ draft: next, id }: Added, at: Point) => {
    if (!id) return refuseAdding();
    const placed = makeRoom(positions, { draft: next, id, at, gap: GAP.y }, types);
    change(() => applyPositions(next, placed));
    openForm(id);
    requestAnimationFrame(() => reveal(at));
  };
  const insert = (type: PartType, spot: Spot, at?: Point) => {
    const [source, target] = [spot.from, spot.to].map((id) => (id ? positions.get(id) : undefined));
    const isNear = source && target && target.y - source.y < 2 * GAP.y;
    const between = source && target && { x: (source.x + target.x) / 2, y: (source.y + target.y) / 2 };
    const below = source && freePosition({ x: source.x, y: source.y + GAP.y });
    const place = at ?? (isNear ? { x: target.x, y: source.y + GAP.y } : between) ?? below ?? { x: 0, y: 0 };
    apply(insertPart(draft, type, spot, types), rounded(place));
  };
  const select = (ids: readonly string[]) => setSelection(new Set(ids));
  const paste = (copied: Copied, move: Point) => {
    const { draft: next, ids } = pasteParts(applyPositions(draft, positions), copied, move, types);
    if (ids.length === 0) return refuseAdding();
    change(() => next);
    select(ids);
  };
  const copy = () => (selection.size > 0 ? copyParts(draft, selection, positions, types) : undefined);
  const duplicate = () => {
    const copied = copy();
    if (copied) paste(copied, COPY);
  };
  const remove = () => {
    change((before: Draft) => removeAll(before, [...selection], []));
    select([]);
  };
  /** At the pointer, or in the middle of the window. */
  const pasteHere = (copied: Copied) => {
    const box = board.current?.getBoundingClientRect();
    const corners = [...copied.triggers, ...copied.steps].flatMap(({ position }) => position ?? []);
    if (!box || corners.length === 0) return paste(copied, COPY);
    const center = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    const at = flow.screenToFlowPosition(pointerAt.current ?? center);
    const left = Math.min(...corners.map(({ x }) => x));
    const top = Math.min(...corners.map(({ y }) => y));
    paste(copied, rounded({ x: at.x - left, y: at.y - top }));
  };
  useCanvasKeys({
    copy,
    paste: pasteHere,
    remove,
    duplicate,
    selectAll: () => select(nodes.map(({ id }) => id)),
  });

  return {
    insert,
    duplicate,
    remove,
    /** Below the selected node, else below the last one. */
    add(type: PartType, selected: string | undefined) {
      const added = addAfter(draft, type, selected, types);
      const last = type.kind === "triggers" ? undefined : parts.at(-1)?.id;
      const above = positions.get(selected ?? last ?? "");
      if (type.kind === "steps" && selected !== undefined && above)
        return apply(added, rounded({ x: above.x, y: above.y + GAP.y }));
      const center = flow.screenToFlowPosition(middleOf(board.current));
      const first = { x: center.x - NODE.width / 2, y: center.y - 2 * GAP.y };
      const trigger = draft.triggers[0] && positions.get(draft.triggers[0].id);
      const beside = trigger && { x: trigger.x + GAP.x, y: trigger.y };
      const below = above && { x: above.x, y: above.y + GAP.y };
      return apply(added, freePosition((type.kind === "triggers" ? beside : below) ?? first));
    },
    /** Where it was dropped; on a line it is inserted. */
    drop(type: PartType | undefined, at: Point, line: Spot | undefined) {
      if (!type) return refuseAdding();
      const corner = flow.screenToFlowPosition(at);
      const place = rounded({ x: corner.x - NODE.width / 2, y: corner.y - NODE.height / 2 });
      const isOnLine = line !== undefined && type.kind === "steps";
      apply(isOnLine ? insertPart(draft, type, line, types) : addPart(draft, type), place);
    },
    move: (moved: readonly PartNode[]) =>
      change((before) =>
        applyPositions(before, new Map(moved.map(({ id, position }) => [id, rounded(position)]))),
      ),
    /** Of the element that holds the canvas. */
    pointer: {
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        pointerAt.current = { x: clientX, y: clientY };
      },
      onPointerLeave: () => {
        pointerAt.current = undefined;
      },
    },
  };
}

function middleOf(element: HTMLElement | null): Point {
  const box = element?.getBoundingClientRect();
  return box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : { x: 0, y: 0 };
}
