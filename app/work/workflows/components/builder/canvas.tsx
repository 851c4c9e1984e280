import "@xyflow/react/dist/base.css";
import "./canvas.css";
import {
  applyNodeChanges,
  Background,
  type Edge,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { Maximize, Redo2, Undo2, WandSparkles, ZoomIn, ZoomOut } from "lucide-react";
import {
  type DragEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { IconButton } from "~/ui/button";
import { showToast } from "~/ui/toast-store";
import type { Draft, DraftPart, PartType } from "../../builder.schema";
import { addPart, findPartType } from "../../builder-draft.shared";
import { addAfter, connect, removeAll } from "../../graph-edits.shared";
import { countProblems, useBuilder } from "./builder-context";
import { CanvasNode, type PartNode, toConnection, toEdges, toNodes } from "./canvas-node";
import { PART_DATA, Palette } from "./palette";
import { SideForm } from "./side-form";

const NODE_TYPES = { part: CanvasNode };
const FIT = { maxZoom: 1, padding: 0.15 };

interface CanvasProps {
  undo(): void;
  redo(): void;
  canUndo: boolean;
  canRedo: boolean;
  /** A refused save opens the first part with an error. */
  refused: unknown;
}

export default function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Board {...props} />
    </ReactFlowProvider>
  );
}

/** In one change, for a single undo. */
function removeAll(draft: Draft, nodes: readonly { id: string }[], edges: readonly Edge[]): Draft {
  let next = edges.reduce((before, edge) => disconnect(before, toConnection(edge)), draft);
  for (const { id } of nodes)
    for (const kind of ["triggers", "steps"] as const) {
      const index = next[kind].findIndex((part) => part.id === id);
      if (index >= 0) next = removePart(next, kind, index);
    }
  return next;
}

function applyPositions(draft: Draft, positions: ReadonlyMap<string, { x: number; y: number }>): Draft {
  const place = (part: DraftPart) => {
    const position = positions.get(part.id);
    return position ? { ...part, position } : part;
  };
  return { ...draft, triggers: draft.triggers.map(place), steps: draft.steps.map(place) };
}

function Board({ undo, redo, canUndo, canRedo, refused }: CanvasProps) {
  const { draft, change, types, problems } = useBuilder();
  const flow = useReactFlow<PartNode>();
  const fitCanvas = useCallback(() => requestAnimationFrame(() => void flow.fitView(FIT)), [flow]);
  const [selected, setSelected] = useState<string>();
  const [tidied, setTidied] = useState<ReadonlyMap<string, { x: number; y: number }>>(new Map());
  const draftNodes = useMemo(() => toNodes(draft, types, problems, tidied), [draft, types, problems, tidied]);
  const { openForm, closeForm, wantsFocus } = useFormFocus(setSelected);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a refusal opens a form.
  useEffect(() => {
    if (!refused) return;
    const wrong = (["triggers", "steps"] as const).flatMap((kind) =>
      draft[kind].filter((_, index) => countProblems(problems, kind, index) > 0),
    );
    if (wrong[0]) openForm(wrong[0].id);
  }, [refused]);
  const [selectedEdge, setSelectedEdge] = useState<string>();
  const edges = useMemo(
    () => toEdges(draft, types).map((edge) => ({ ...edge, selected: edge.id === selectedEdge })),
    [draft, types, selectedEdge],
  );
  const [nodes, setNodes] = useState(draftNodes);
  // Keeps React Flow's measurements and drag state.
  useEffect(
    () =>
      setNodes((present) =>
        draftNodes.map((node) => {
          const before = present.find(({ id }) => id === node.id);
          return { ...before, ...node, selected: node.id === selected };
        }),
      ),
    [draftNodes, selected],
  );
  const parts = draft.triggers.length + draft.steps.length;
  // Nodes without a position are laid out once, when the canvas opens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: later nodes stay where they are.
  useEffect(() => {
    if (parts === 0 || [...draft.triggers, ...draft.steps].some(({ position }) => position)) return;
    let open = true;
    void import("../../graph-layout.shared").then(({ layOut }) => {
      if (!open) return;
      setTidied(layOut(draft, types));
      fitCanvas();
    });
    return () => {
      open = false;
    };
  }, []);
  // Refits when the canvas changes its width.
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(fitCanvas);
    if (field.current) observer.observe(field.current);
    return () => observer.disconnect();
  }, [fitCanvas]);
  const add = (type: PartType) => {
    const added = addAfter(draft, type, selected, types);
    if (!added.id) return refuseAdding();
    const below = nodes.find(({ id }) => id === selected) ?? nodes.at(-1);
    const position = below && type.kind === "steps" ? freePositionBelow(below.position, nodes) : undefined;
    change(() => (position ? applyPositions(added.draft, new Map([[added.id, position]])) : added.draft));
    openForm(added.id);
    fitCanvas();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [kind, name = ""] = event.dataTransfer.getData(PART_DATA).split(":");
    const type = findPartType(types, kind === "triggers" ? "triggers" : "steps", name);
    if (!type) return refuseAdding();
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const added = addPart(draft, type, { x: Math.round(at.x), y: Math.round(at.y) });
    if (!added.id) return refuseAdding();
    change(() => added.draft);
    setSelected(added.id);
  };
  const tidy = async () => {
    const { layOut } = await import("../../graph-layout.shared");
    change((before) => applyPositions(before, layOut(before, types)));
    fitCanvas();
  };
  const board = useRef<HTMLDivElement>(null);
  useUndoKeys(board, undo, redo);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in a field would save the unfinished workflow.
    <div
      ref={board}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        if (event.target instanceof HTMLInputElement) event.preventDefault();
        const node = event.target instanceof HTMLElement ? event.target : undefined;
        if (node?.dataset.id && node.matches(".react-flow__node")) openForm(node.dataset.id);
      }}
      className="grid overflow-hidden rounded-lg border border-line bg-surface lg:h-[44rem] lg:grid-cols-[14rem_minmax(0,1fr)_auto]"
    >
      <div className="flex max-h-72 min-h-0 flex-col border-line max-lg:border-b lg:max-h-none lg:border-r">
        <Palette types={types} onAdd={add} />
      </div>
      <div className="flex min-h-0 min-w-0 flex-col">
        <div
          role="toolbar"
          aria-label="Canvas"
          className="flex flex-wrap items-center border-line border-b p-1"
        >
          <Tool label="Undo" icon={<Undo2 />} onPress={undo} disabled={!canUndo} />
          <Tool label="Redo" icon={<Redo2 />} onPress={redo} disabled={!canRedo} />
          <Tool label="Zoom in" icon={<ZoomIn />} onPress={() => void flow.zoomIn()} />
          <Tool label="Zoom out" icon={<ZoomOut />} onPress={() => void flow.zoomOut()} />
          <Tool label="Fit to view" icon={<Maximize />} onPress={() => void flow.fitView(FIT)} />
          <Tool label="Tidy" icon={<WandSparkles />} onPress={() => void tidy()} disabled={parts === 0} />
          {draft.connections.length === 0 && draft.steps.length > 1 && (
            <p className="ml-2 text-muted text-xs">Steps run in order until you connect them.</p>
          )}
        </div>
        <div ref={field} className="relative h-[28rem] min-h-0 bg-sunken lg:h-auto lg:flex-1">
          <ReactFlow<PartNode>
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            onNodesChange={(changes) => {
              setNodes((present) => applyNodeChanges(changes, present));
              const chosen = changes.find((one) => one.type === "select" && one.selected);
              if (chosen?.type === "select") setSelected(chosen.id);
            }}
            onEdgesChange={(changes) => {
              for (const one of changes)
                if (one.type === "select")
                  setSelectedEdge((present) => {
                    if (one.selected) return one.id;
                    return present === one.id ? undefined : present;
                  });
            }}
            onPaneClick={() => setSelected(undefined)}
            onNodeDragStop={(_, __, moved) =>
              change((before) =>
                applyPositions(before, new Map(moved.map(({ id, position }) => [id, position]))),
              )
            }
            onConnect={(line) => change((before) => connect(before, toConnection(line), types))}
            onDelete={(gone) => {
              change((before) => removeAll(before, gone.nodes, gone.edges));
              if (gone.nodes.some(({ id }) => id === selected)) setSelected(undefined);
            }}
            onDrop={drop}
            onDragOver={(event) => {
              event.preventDefault();
              event.dataTransfer.dropEffect = "copy";
            }}
            deleteKeyCode="Delete"
            fitView
            fitViewOptions={FIT}
            minZoom={0.2}
            proOptions={{ hideAttribution: true }}
          >
            <Background />
            {parts > 3 && <MiniMap pannable zoomable className="max-xl:hidden!" ariaLabel="Overview" />}
          </ReactFlow>
          {parts === 0 && (
            <p className="pointer-events-none absolute inset-0 flex items-center justify-center p-8 text-center text-muted">
              Drag a component here, or click one to add it. Start with a trigger.
            </p>
          )}
        </div>
      </div>
      {selected !== undefined && (
        <div className="flex min-h-0 flex-col border-line max-lg:border-t lg:w-88 lg:border-l">
          <SideForm key={selected} id={selected} wantsFocus={wantsFocus} onClose={closeForm} />
        </div>
      )}
    </div>
  );
}

/** Moves the focus into a form opened by keyboard or palette, and back. */
function useFormFocus(select: (id: string | undefined) => void) {
  const wantsFocus = useRef(false);
  const opener = useRef<Element | null>(null);
  return {
    wantsFocus,
    openForm(id: string) {
      wantsFocus.current = true;
      opener.current = document.activeElement;
      select(undefined);
      requestAnimationFrame(() => select(id));
    },
    closeForm() {
      select(undefined);
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
    },
  };
}

/** Ctrl+Z and Ctrl+Shift+Z outside text fields; a removed node leaves the focus on the page. */
function useUndoKeys(board: RefObject<HTMLElement>, undo: () => void, redo: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, shiftKey } = event;
      if (!(ctrlKey || metaKey) || key.toLowerCase() !== "z" || !(target instanceof Element)) return;
      if (target.matches("input, textarea, select")) return;
      if (target !== document.body && !board.current?.contains(target)) return;
      event.preventDefault();
      if (shiftKey) redo();
      else undo();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

const refuseAdding = () => showToast({ kind: "error", title: "Failed to add component to workflow" });

/** The next free position below a node. */
function freePositionBelow({ x, y }: { x: number; y: number }, nodes: readonly PartNode[]) {
  const at = { x, y: y + 140 };
  while (nodes.some(({ position }) => Math.abs(position.x - at.x) < 200 && Math.abs(position.y - at.y) < 100))
    at.x += 280;
  return at;
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
