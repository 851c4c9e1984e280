import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import { AddButton, type PartEdge } from "./canvas-node";

/** In pixels; components are dropped on it too. */
const HIT_WIDTH = 28;

/** A line with the button that inserts a step on it. */
export const CanvasLine = memo(function CanvasLine({ id, data, markerEnd, ...line }: EdgeProps<PartEdge>) {
  const [path, x, y] = getBezierPath(line);
  return (
    <>
      <BaseEdge id={id} path={path} interactionWidth={HIT_WIDTH} {...(markerEnd ? { markerEnd } : {})} />
      {data && (
        <EdgeLabelRenderer>
          <div
            data-line={id}
            className="nodrag nopan pointer-events-auto absolute"
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            <AddButton label={data.label} spot={data.line} />
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
