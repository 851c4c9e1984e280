import "@xyflow/react/dist/base.css";
import "./canvas.css";
import {
  applyNodeChanges,
  Background,
  type FinalConnectionState,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { X } from "lucide-react";
import { type DragEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "~/ui/button";
import { showToast } from "~/ui/toast-store";
import type { PartType } from "../../builder.schema";
import { clearDraft, findPartType } from "../../builder-draft.shared";
import {
  applyPositions,
  connect,
  type Point,
  refusedLine,
  removeAll,
  type Spot,
} from "../../graph-edits.shared";
import { countProblems, useBuilder } from "./builder-context";
import { CanvasLine } from "./canvas-line";
import { CanvasNode, type PartNode, SpotContext, toConnection, toEdges, toNodes } from "./canvas-node";
import { CanvasTools } from "./canvas-tools";
import { PART_DATA, Palette } from "./palette";
import { SideForm } from "./side-form";
import { useCanvasView, useDrawnHandles } from "./use-canvas-view";
import { useGraphEdits } from "./use-graph-edits";

const NODE_TYPES = { part: CanvasNode };
const EDGE_TYPES = { line: CanvasLine };
const DELETE_KEYS = ["Delete", "Backspace"];
/** Parts from which there is an overview. */
const MANY_PARTS = 12;

interface CanvasProps {
  /** What lies over the canvas at its top, in a row of the grid that both are in. */
  bar: RefObject<HTMLElement>;
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

/** What is asked for by a '+': a component for this place. */
interface Asked {
  spot: Spot;
  /** Where a line was dropped, in the graph's pixels. */
  at?: Point;
  opener: HTMLElement | null;
}

function Board({ bar, refused, ...history }: CanvasProps) {
  const { draft, change, types, problems, run } = useBuilder();
  const flow = useReactFlow<PartNode>();
  const parts = draft.triggers.length + draft.steps.length;
  const isEmpty = parts === 0;
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [lines, setLines] = useState<ReadonlySet<string>>(new Set());
  const [tidied, setTidied] = useState<ReadonlyMap<string, Point>>(new Map());
  const [hasPalette, setPalette] = useState(() => isEmpty || window.matchMedia("(min-width: 80rem)").matches);
  const [asked, setAsked] = useState<Asked>();
  const [target, setTarget] = useState<string>();
  const selected = selection.size === 1 ? [...selection][0] : undefined;
  const board = useRef<HTMLDivElement>(null);
  const { openForm, closeForm, wantsFocus } = useFormFocus(setSelection);

  const draftNodes = useMemo(
    () => toNodes(draft, types, problems, tidied, run),
    [draft, types, problems, tidied, run],
  );
  const [nodes, setNodes] = useState(draftNodes);
  // Keeps React Flow's measurements and drag state.
  useEffect(
    () =>
      setNodes((present) =>
        draftNodes.map((node) => {
          const before = present.find(({ id }) => id === node.id);
          return { ...before, ...node, selected: selection.has(node.id) };
        }),
      ),
    [draftNodes, selection],
  );
  useDrawnHandles(nodes);
  const edges = useMemo(
    () =>
      toEdges(draft, types, run).map((edge) => ({
        ...edge,
        selected: lines.has(edge.id),
        ...(edge.id === target && { className: "target" }),
      })),
    [draft, types, run, lines, target],
  );
  const hasColumn = hasPalette || parts >= MANY_PARTS;
  const view = useCanvasView(board, bar, { hasColumn, hasForm: selected !== undefined });
  const { fitAll, showFirst } = view;
  const edits = useGraphEdits({ nodes, selection, setSelection, openForm, board, reveal: view.reveal });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a refusal opens a form.
  useEffect(() => {
    if (!refused) return;
    const wrong = (["triggers", "steps"] as const).flatMap((kind) =>
      draft[kind].filter((_, index) => countProblems(problems, kind, index) > 0),
    );
    const node = draftNodes.find(({ id }) => id === wrong[0]?.id);
    if (!node) return;
    openForm(node.id);
    // The bar, which says why, is higher from the next frame on.
    requestAnimationFrame(() => requestAnimationFrame(() => view.reveal(node.position)));
  }, [refused]);
  // Nodes without a position are laid out once, when the canvas opens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: later nodes stay where they are.
  useEffect(() => {
    if (isEmpty || [...draft.triggers, ...draft.steps].some(({ position }) => position)) return;
    let open = true;
    void import("../../graph-layout.shared").then(({ layOut }) => {
      if (!open) return;
      const positions = layOut(draft, types);
      setTidied(positions);
      showFirst(positions);
    });
    return () => {
      open = false;
    };
  }, []);

  const ask = useCallback((spot: Spot, opener: HTMLElement | null, at?: Point) => {
    setAsked({ spot, opener, ...(at && { at }) });
    setPalette(true);
    focusSearch(board);
  }, []);
  const cancel = () => {
    setAsked(undefined);
    asked?.opener?.focus();
  };
  const add = (type: PartType) => {
    if (asked) edits.insert(type, asked.spot, asked.at);
    else edits.add(type, selected);
    setAsked(undefined);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const line = lineAt(event);
    setTarget(undefined);
    const [kind, name = ""] = event.dataTransfer.getData(PART_DATA).split(":");
    const type = findPartType(types, kind === "triggers" ? "triggers" : "steps", name);
    const spot = edges.find(({ id }) => id === line)?.data?.line;
    edits.drop(type, { x: event.clientX, y: event.clientY }, spot);
  };
  const draw = (line: Parameters<typeof toConnection>[0]) => {
    const connection = toConnection(line);
    const refusal = refusedLine(draft, connection);
    if (refusal) showToast({ kind: "error", title: "Can't connect these", description: `${refusal}.` });
    else change((before) => connect(before, connection, types));
  };
  /** A line that ends on a node's box connects it, and one that ends nowhere asks for a component. */
  const endLine = (event: MouseEvent | TouchEvent, { fromHandle, toNode, isValid }: FinalConnectionState) => {
    const end = "changedTouches" in event ? event.changedTouches[0] : event;
    if (isValid || !fromHandle || !end) return;
    const other = toNode?.id ?? nodeAt(end.clientX, end.clientY);
    const isForward = fromHandle.type === "source";
    if (other && other !== fromHandle.nodeId) {
      if (isForward) draw({ source: fromHandle.nodeId, sourceHandle: fromHandle.id, target: other });
      else draw({ source: other, target: fromHandle.nodeId });
    } else if (!other && isForward) {
      const { from, branch } = toConnection({
        source: fromHandle.nodeId,
        sourceHandle: fromHandle.id,
        target: "",
      });
      ask({ from, branch }, null, flow.screenToFlowPosition({ x: end.clientX - 120, y: end.clientY }));
    }
  };
  const titleOf = (id: string) => nodes.find((node) => node.id === id)?.data.title ?? id;
  const clear = () => {
    change(clearDraft);
    setSelection(new Set());
  };
  const tidy = async () => {
    const { layOut } = await import("../../graph-layout.shared");
    const positions = layOut(draft, types);
    change((before) => applyPositions(before, positions));
    fitAll(positions);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter on a node opens its form, which React Flow doesn't do.
    <div
      ref={board}
      onKeyDown={({ key, target: at }) => {
        const node = at instanceof HTMLElement && at.matches(".react-flow__node") ? at.dataset.id : undefined;
        if (key === "Enter" && node) openForm(node);
      }}
      className="relative isolate col-span-3 col-start-1 row-span-2 row-start-1 grid grid-cols-subgrid grid-rows-subgrid"
    >
      {hasColumn && (
        <div className="z-10 col-start-1 row-start-2 m-3 flex min-h-0 w-56 flex-col gap-3">
          {hasPalette && (
            // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves the question for a component.
            <div
              className="flex min-h-0 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card"
              onKeyDown={({ key }) => {
                if (key === "Escape" && asked) cancel();
              }}
            >
              {asked && (
                <p className="flex items-center gap-1 border-line border-b bg-info-soft py-1 pr-1 pl-3 text-xs">
                  <span className="min-w-0 flex-1">
                    {asked.spot.to
                      ? `Between ${titleOf(asked.spot.from)} and ${titleOf(asked.spot.to)}`
                      : `After ${titleOf(asked.spot.from)}`}
                    {asked.spot.branch && ` (${asked.spot.branch})`}
                  </span>
                  <IconButton type="button" label="Cancel" icon={<X aria-hidden="true" />} onClick={cancel} />
                </p>
              )}
              <Palette types={types} onAdd={add} />
            </div>
          )}
          {parts >= MANY_PARTS && (
            <MiniMap
              pannable
              zoomable
              className="overview"
              ariaLabel="Overview"
              style={{ width: 222, height: 140 }}
            />
          )}
        </div>
      )}
      <SpotContext.Provider value={ask}>
        <div className="absolute inset-0 z-0" {...edits.pointer}>
          <ReactFlow<PartNode, (typeof edges)[number]>
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onNodesChange={(changes) => {
              setNodes((present) => applyNodeChanges(changes, present));
              setSelection((present) => selectedAfter(present, changes));
            }}
            onEdgesChange={(changes) => setLines((present) => selectedAfter(present, changes))}
            onPaneClick={() => {
              setSelection(new Set());
              setAsked(undefined);
            }}
            onNodeDragStop={(_, __, moved) => edits.move(moved)}
            onSelectionDragStop={(_, moved) => edits.move(moved)}
            isValidConnection={(line) => refusedLine(draft, toConnection(line)) === undefined}
            onConnect={draw}
            onConnectEnd={endLine}
            onDelete={(gone) => {
              const ids = gone.nodes.map(({ id }) => id);
              // Lines of removed nodes go with them, and are bridged.
              const own = gone.edges.filter(
                ({ source, target: to }) => !ids.includes(source) && !ids.includes(to),
              );
              change((before) => removeAll(before, ids, own.map(toConnection)));
            }}
            onDrop={drop}
            onDragOver={(event) => {
              event.preventDefault();
              event.dataTransfer.dropEffect = "copy";
              setTarget(lineAt(event));
            }}
            onDragLeave={() => setTarget(undefined)}
            deleteKeyCode={DELETE_KEYS}
            onInit={() => {
              if (!isEmpty) showFirst();
            }}
            panOnScroll
            zoomOnScroll={false}
            zoomOnDoubleClick={false}
            minZoom={0.1}
            proOptions={{ hideAttribution: true }}
          >
            <Background />
          </ReactFlow>
        </div>
      </SpotContext.Provider>
      {isEmpty && (
        <p className="pointer-events-none col-start-2 row-start-2 place-self-center p-8 text-center text-muted">
          Drag a component here, or click one to add it. Start with a trigger.
        </p>
      )}
      <CanvasTools
        {...history}
        hasPalette={hasPalette}
        onPalette={() => {
          setPalette(!hasPalette);
          setAsked(undefined);
          if (!hasPalette) focusSearch(board);
        }}
        fitAll={() => fitAll()}
        tidy={() => void tidy()}
        clear={clear}
        selected={selection.size}
        edits={edits}
      />
      {selected !== undefined && (
        <div className="z-10 col-start-3 row-start-2 m-3 flex min-h-0 w-88 flex-col self-start overflow-hidden rounded-lg border border-line bg-surface shadow-float max-h-[calc(100%-1.5rem)]">
          <SideForm key={selected} id={selected} wantsFocus={wantsFocus} onClose={closeForm} />
        </div>
      )}
    </div>
  );
}

interface SelectChange {
  type: string;
  id?: string;
  selected?: boolean;
}

/** The same set if nothing changes. */
function selectedAfter(present: ReadonlySet<string>, changes: readonly SelectChange[]): ReadonlySet<string> {
  const next = new Set(present);
  for (const { type, id, selected } of changes) {
    if (id === undefined) continue;
    if (type === "remove" || (type === "select" && !selected)) next.delete(id);
    else if (type === "select") next.add(id);
  }
  return next.size === present.size && [...next].every((id) => present.has(id)) ? present : next;
}

function focusSearch(board: RefObject<HTMLElement>): void {
  requestAnimationFrame(() => board.current?.querySelector<HTMLElement>("input[type=search]")?.focus());
}

/** The id of the line under the pointer. */
function lineAt({ clientX, clientY }: { clientX: number; clientY: number }): string | undefined {
  for (const element of document.elementsFromPoint(clientX, clientY)) {
    const label = element.closest<HTMLElement>("[data-line]");
    if (label) return label.dataset.line;
    const line = element.closest<SVGElement>(".react-flow__edge");
    if (line) return line.dataset.id;
  }
  return undefined;
}

const nodeAt = (x: number, y: number): string | undefined =>
  document.elementFromPoint(x, y)?.closest<HTMLElement>(".react-flow__node")?.dataset.id;

/** Moves the focus into a form opened by keyboard or palette, and back. */
function useFormFocus(select: (ids: ReadonlySet<string>) => void) {
  const wantsFocus = useRef(false);
  const opener = useRef<Element | null>(null);
  return {
    wantsFocus,
    openForm(id: string) {
      wantsFocus.current = true;
      opener.current = document.activeElement;
      select(new Set());
      requestAnimationFrame(() => select(new Set([id])));
    },
    closeForm() {
      select(new Set());
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
    },
  };
}
