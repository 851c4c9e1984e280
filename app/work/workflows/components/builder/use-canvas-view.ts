import { getViewportForBounds, useReactFlow, useUpdateNodeInternals, type Viewport } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { Point } from "../../graph-edits.shared";
import type { PartNode } from "./canvas-node";

/** A node's size, about, in the graph's pixels. */
export const NODE = { width: 240, height: 90 };
/** Zoom at which a node's text can be read. */
const READABLE = 0.6;

/** What lies over the canvas at its sides. */
interface Beside {
  hasColumn: boolean;
  hasForm: boolean;
}

/** Room for what lies over the canvas, in pixels. @param bar height of the bar */
const roomBeside = ({ hasColumn, hasForm }: Beside, bar: number) => ({
  top: bar + 28,
  // The tools, and above them the "+" below the last node.
  bottom: 112,
  left: hasColumn ? 264 : 32,
  right: hasForm ? 392 : 32,
});

/** What the canvas shows: all nodes, or where they can't be read then, the top of the graph. */
function viewOf(
  boxes: readonly (Point & typeof NODE)[],
  size: typeof NODE,
  room: ReturnType<typeof roomBeside>,
  isReadable: boolean,
): Viewport {
  const left = Math.min(...boxes.map(({ x }) => x));
  const top = Math.min(...boxes.map(({ y }) => y));
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - left;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) - top;
  const padding = {
    top: `${room.top}px`,
    bottom: `${room.bottom}px`,
    left: `${room.left}px`,
    right: `${room.right}px`,
  } as const;
  const view = getViewportForBounds(
    { x: left, y: top, width, height },
    size.width,
    size.height,
    0.1,
    1,
    padding,
  );
  if (!isReadable || view.zoom >= READABLE) return view;
  const middle = (room.left + size.width - room.right) / 2;
  return { x: middle - (left + width / 2) * READABLE, y: room.top - top * READABLE, zoom: READABLE };
}

/** How far a span has to move to lie between two bounds; its beginning counts if it is longer. */
function shiftInto(from: number, size: number, low: number, high: number): number {
  if (from < low) return low - from;
  return from + size > high ? Math.max(low, high - size) - from : 0;
}

/** What is seen of the graph. */
export function useCanvasView(board: RefObject<HTMLElement>, bar: RefObject<HTMLElement>, beside: Beside) {
  const flow = useReactFlow<PartNode>();
  const latest = useRef(beside);
  latest.current = beside;
  const room = useCallback(() => roomBeside(latest.current, bar.current?.clientHeight ?? 0), [bar]);
  // React Flow takes over new positions some time after they are set: its own fitting would show where nodes were.
  const show = useCallback(
    (positions: ReadonlyMap<string, Point>, isReadable: boolean) =>
      requestAnimationFrame(() => {
        const { clientWidth: width = 0, clientHeight: height = 0 } = board.current ?? {};
        const boxes = flow.getNodes().map(({ id, position, measured }) => ({
          ...(positions.get(id) ?? position),
          width: measured?.width ?? NODE.width,
          height: measured?.height ?? NODE.height,
        }));
        if (boxes.length > 0) void flow.setViewport(viewOf(boxes, { width, height }, room(), isReadable));
      }),
    [flow, board, room],
  );
  /** @param positions of nodes that were just moved */
  const fitAll = useCallback(
    (positions: ReadonlyMap<string, Point> = new Map()) => show(positions, false),
    [show],
  );
  /** A long graph begins at its top, where one can read it. */
  const showFirst = useCallback(
    (positions: ReadonlyMap<string, Point> = new Map()) => show(positions, true),
    [show],
  );
  const shift = (dx: number, dy: number) => {
    const { x, y, zoom } = flow.getViewport();
    if (dx !== 0 || dy !== 0) void flow.setViewport({ x: x + dx, y: y + dy, zoom });
  };
  /** Moves as little as needed to show a node beside its form. @param at its corner, in the graph's pixels */
  const reveal = (at: Point) => {
    const box = board.current?.getBoundingClientRect();
    if (!box) return;
    const { x, y, zoom } = flow.getViewport();
    const free = roomBeside({ ...latest.current, hasForm: true }, bar.current?.clientHeight ?? 0);
    shift(
      shiftInto(at.x * zoom + x, NODE.width * zoom, free.left, box.width - free.right),
      shiftInto(at.y * zoom + y, NODE.height * zoom, free.top, box.height - free.bottom),
    );
  };
  const latestShift = useRef(shift);
  latestShift.current = shift;
  // What is said in the bar makes it higher: it would cover the first nodes.
  useEffect(() => {
    let height = bar.current?.clientHeight ?? 0;
    const observer = new ResizeObserver(() => {
      const next = bar.current?.clientHeight ?? 0;
      latestShift.current(0, next - height);
      height = next;
    });
    if (bar.current) observer.observe(bar.current);
    return () => observer.disconnect();
  }, [bar]);
  return { fitAll, showFirst, reveal };
}

/**
 * Has handles measured that React Flow doesn't know, without which it draws none of their lines: those that came or went
 * while the node kept its size, and those of a node that it measured before it took over an earlier render.
 */
export function useDrawnHandles(nodes: readonly PartNode[]): void {
  const flow = useReactFlow<PartNode>();
  const measure = useUpdateNodeInternals();
  const known = useRef(new Map<string, string>());
  useEffect(() => {
    const lost = nodes.filter(({ id, data, measured }) => {
      if (!measured) return false;
      const handles = data.handles.join(" ");
      const isKnown = known.current.get(id) === handles && flow.getInternalNode(id)?.internals.handleBounds;
      known.current.set(id, handles);
      return !isKnown;
    });
    if (lost.length > 0) measure(lost.map(({ id }) => id));
  }, [nodes, flow, measure]);
}
