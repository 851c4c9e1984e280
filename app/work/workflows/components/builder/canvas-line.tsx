import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import { AddButton, type PartEdge } from "./canvas-node";

/** In pixels; components are dropped on it too. */
const HIT_WIDTH = 28;
/** Height of a line whose button is in its middle; on longer ones, which pass nodes, it is near the exit. In pixels. */
const SHORT = 160;

/** The point of a line that leaves downwards and arrives from above. @param t share of its way */
function pointAt({ sourceX, sourceY, targetX, targetY }: EdgeProps<PartEdge>, t: number) {
  const [near, far] = [3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t)];
  const middle = (sourceY + targetY) / 2;
  const [start, end] = [(1 - t) ** 3, t ** 3];
  return {
    x: (start + near) * sourceX + (far + end) * targetX,
    y: start * sourceY + (near + far) * middle + end * targetY,
  };
}

/** A line with the button that inserts a step on it. */
export const CanvasLine = memo(function CanvasLine(line: EdgeProps<PartEdge>) {
  const { id, data, markerEnd, sourceY, targetY } = line;
  const [path, middleX, middleY] = getBezierPath(line);
  const height = targetY - sourceY;
  const { x, y } = height > SHORT ? pointAt(line, 30 / height) : { x: middleX, y: middleY };
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
