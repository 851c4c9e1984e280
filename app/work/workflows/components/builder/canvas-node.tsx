import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { CircleAlert } from "lucide-react";
import { memo } from "react";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import type { PartType } from "../../builder.schema";
import { PartIcon } from "./part-icon";

/** Handle of the unnamed branch. */
export const NEXT = "next";

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
