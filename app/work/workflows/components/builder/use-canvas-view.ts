import { type FitViewOptions, useReactFlow } from "@xyflow/react";
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
  bottom: 88,
  left: hasColumn ? 264 : 32,
  right: hasForm ? 392 : 32,
});

function fitOptions({ top, bottom, left, right }: ReturnType<typeof roomBeside>): FitViewOptions {
  return {
    maxZoom: 1,
    padding: { top: `${top}px`, bottom: `${bottom}px`, left: `${left}px`, right: `${right}px` },
  };
}

/** How far a span has to move to lie between two bounds; its beginning counts if it is longer. */
function shiftInto(from: number, size: number, low: number, high: number): number {
  if (from < low) return low - from;
  return from + size > high ? Math.max(low, high - size) - from : 0;
}

/** What is seen of the graph. */
export function useCanvasView(board: RefObject<HTMLElement>, beside: Beside) {
  const flow = useReactFlow<PartNode>();
  const latest = useRef(beside);
  latest.current = beside;
  const bar = useRef<HTMLDivElement>(null);
  const room = useCallback(() => roomBeside(latest.current, bar.current?.clientHeight ?? 0), []);
  const fitAll = useCallback(
    () => requestAnimationFrame(() => void flow.fitView(fitOptions(room()))),
    [flow, room],
  );
  /** A long graph begins at its top, where one can read it. */
  const showFirst = useCallback(
    () =>
      requestAnimationFrame(async () => {
        await flow.fitView(fitOptions(room()));
        if (flow.getZoom() >= READABLE) return;
        const { x, y, width } = flow.getNodesBounds(flow.getNodes());
        const { left, right, top } = room();
        const middle = (left + (board.current?.clientWidth ?? 0) - right) / 2;
        const corner = { x: middle - (x + width / 2) * READABLE, y: top - y * READABLE };
        await flow.setViewport({ ...corner, zoom: READABLE });
      }),
    [flow, board, room],
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
  }, []);
  return { fitAll, showFirst, reveal, bar };
}
