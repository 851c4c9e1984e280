import { useReactFlow } from "@xyflow/react";
import { Copy, Eraser, Maximize, PanelLeft, Trash2, WandSparkles, ZoomIn, ZoomOut } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "~/ui/button";
import { countOf } from "~/ui/format";
import { UndoButtons } from "./builder-bar";
import { useBuilder } from "./builder-context";

interface CanvasToolsProps {
  undo(): void;
  redo(): void;
  canUndo: boolean;
  canRedo: boolean;
  hasPalette: boolean;
  onPalette(): void;
  fitAll(): void;
  tidy(): void;
  clear(): void;
  /** Number of selected nodes. */
  selected: number;
  edits: { duplicate(): void; remove(): void };
}

export function CanvasTools(props: CanvasToolsProps) {
  const { hasPalette, onPalette, fitAll, tidy, clear, selected, edits, ...history } = props;
  const { draft } = useBuilder();
  const flow = useReactFlow();
  const isEmpty = draft.triggers.length + draft.steps.length === 0;
  return (
    <div
      role="toolbar"
      aria-label="Canvas"
      className="z-10 col-start-2 row-start-2 m-3 flex max-w-full flex-wrap items-center self-end justify-self-center rounded-lg border border-line bg-surface p-1 shadow-card"
    >
      <IconButton
        type="button"
        label="Components"
        aria-pressed={hasPalette}
        variant={hasPalette ? "secondary" : "ghost"}
        icon={<PanelLeft />}
        onClick={onPalette}
      />
      <UndoButtons {...history} />
      <Tool label="Zoom out" icon={<ZoomOut />} onPress={() => void flow.zoomOut()} />
      <Tool label="Zoom in" icon={<ZoomIn />} onPress={() => void flow.zoomIn()} />
      <Tool label="Fit to view" icon={<Maximize />} onPress={fitAll} />
      <Tool label="Tidy" icon={<WandSparkles />} onPress={tidy} disabled={isEmpty} />
      {selected > 1 ? (
        <>
          <span role="status" className="px-2 text-muted text-xs">
            {countOf(selected, "node")}
          </span>
          <Tool label="Duplicate" icon={<Copy />} onPress={edits.duplicate} />
          <Tool label="Delete" icon={<Trash2 />} onPress={edits.remove} />
        </>
      ) : (
        <Button
          type="button"
          size="sm"
          variant="ghost"
          icon={<Eraser aria-hidden="true" />}
          onClick={clear}
          disabled={isEmpty}
        >
          Clear
        </Button>
      )}
      {draft.connections.length === 0 && draft.steps.length > 1 && (
        <p className="px-2 text-muted text-xs max-xl:sr-only">Steps run in order until you connect them.</p>
      )}
    </div>
  );
}

interface ToolProps {
  label: string;
  icon: ReactNode;
  onPress(): void;
  disabled?: boolean;
}

function Tool({ label, icon, onPress, disabled = false }: ToolProps) {
  return <IconButton type="button" label={label} icon={icon} onClick={onPress} disabled={disabled} />;
}
