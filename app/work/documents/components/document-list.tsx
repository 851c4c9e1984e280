import { useFetchers, useNavigation } from "@remix-run/react";
import { GripVertical } from "lucide-react";
import {
  Fragment,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { flushSync } from "react-dom";
import { cx } from "~/ui/class-names";
import { afterHydration, inBatches, RenderBatch } from "~/ui/render-batch";
import type { Document } from "../documents.schema";
import type { RowDragging } from "./document-row";
import { GRIP, LIST } from "./document-row";

const ROWS_PER_SLICE = 10;

interface ListProps {
  documents: readonly Document[];
  renderRow: (document: Document, index: number, dragging: RowDragging) => ReactNode;
}

interface DocumentListProps extends ListProps {
  id: string;
  sortable: boolean;
  onOrder: (ids: string[]) => void;
}

export function DocumentList({ sortable, ...props }: DocumentListProps) {
  return sortable ? <Sortable {...props} /> : <Plain {...props} />;
}

const CONTROLS = "a[href], button, select, input:not([type=hidden]), summary";

interface FocusTarget {
  row: number;
  control: number;
}

function focusTargetOf(target: EventTarget | null): FocusTarget | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest("li");
  if (!row?.parentElement) return undefined;
  return {
    row: [...row.parentElement.children].indexOf(row),
    control: [...row.querySelectorAll(CONTROLS)].indexOf(target),
  };
}

type DragModule = typeof import("./sortable-documents");

// Shared by all lists, so that a moved document isn't rendered twice.
let loaded: DragModule | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function load(): void {
  if (loaded) return;
  // The buttons work without it, so a load failure is ignored.
  void import("./sortable-documents").then(
    (module) =>
      afterHydration(() => {
        loaded = module;
        for (const listener of [...listeners]) listener();
      }),
    () => undefined,
  );
}

/** Whether swapping the list would lose input: an unsent category, a selection, an open menu. */
const isChoosing = (box: HTMLElement) =>
  box.querySelector("details[open], [data-select]:checked") !== null ||
  [...box.querySelectorAll("select")].some((select) => select.value !== select.dataset.category);

function restoreFocus(box: HTMLElement, { row, control }: FocusTarget): void {
  const rows = box.querySelectorAll("li");
  rows[row]?.querySelectorAll<HTMLElement>(CONTROLS)[control]?.focus({ preventScroll: true });
}

/**
 * The drag-and-drop list, once it can replace the plain one. The swap remounts all rows, so it waits for
 * input to finish.
 */
function useDragging(box: RefObject<HTMLDivElement>): DragModule | undefined {
  const available = useSyncExternalStore(
    subscribe,
    () => loaded,
    () => undefined,
  );
  const [dragging, setDragging] = useState(available);
  const fetchers = useFetchers();
  const navigation = useNavigation();
  const isBusy = fetchers.length > 0 || navigation.state !== "idle";
  const isPressed = useRef(false);
  useEffect(() => {
    if (dragging) return;
    const controller = new AbortController();
    const { signal } = controller;
    const swap = () => {
      const { current } = box;
      if (signal.aborted || !current || !available || isBusy || isPressed.current) return;
      if (isChoosing(current)) return;
      const target = current.contains(document.activeElement)
        ? focusTargetOf(document.activeElement)
        : undefined;
      // In the same task as the focus change, so that no key press is lost.
      flushSync(() => setDragging(available));
      if (target) restoreFocus(current, target);
    };
    // After the current click or submit.
    const swapLater = () => void setTimeout(swap);
    const press = () => {
      isPressed.current = true;
    };
    const release = () => {
      isPressed.current = false;
      swapLater();
    };
    for (const type of ["pointerdown", "keydown"]) box.current?.addEventListener(type, press, { signal });
    for (const type of ["change", "focusout"]) box.current?.addEventListener(type, swapLater, { signal });
    for (const type of ["pointerup", "pointercancel", "keyup", "blur"])
      window.addEventListener(type, release, { signal });
    swapLater();
    return () => controller.abort();
  }, [available, dragging, isBusy, box]);
  return dragging;
}

/** Loaded on pointer or focus: it is a third of the screen's weight. */
function Sortable(props: Omit<DocumentListProps, "sortable">) {
  const box = useRef<HTMLDivElement>(null);
  const dragging = useDragging(box);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    for (const type of ["pointerenter", "focusin"]) box.current?.addEventListener(type, load, { signal });
    return () => controller.abort();
  }, []);
  return <div ref={box}>{dragging ? <dragging.SortableDocuments {...props} /> : <Plain {...props} />}</div>;
}

function Plain({ documents, renderRow }: ListProps) {
  const handle = (
    <span aria-hidden="true" className={cx(GRIP, "invisible scripted:visible")}>
      <GripVertical className="size-4" />
    </span>
  );
  return (
    <ul className={LIST}>
      {inBatches(documents, ROWS_PER_SLICE).map((part, n) => (
        <RenderBatch key={part[0]?.id}>
          {part.map((document, index) => (
            <Fragment key={document.id}>
              {renderRow(document, n * ROWS_PER_SLICE + index, { handle })}
            </Fragment>
          ))}
        </RenderBatch>
      ))}
    </ul>
  );
}
