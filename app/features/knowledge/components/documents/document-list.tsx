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
import { inParts, isHydrating, Slice } from "~/ui/slice";
import type { Document } from "../../documents/documents.schema";
import type { RowDragging } from "./document-row";
import { GRIP, LIST } from "./list-looks";

/** Rows that are drawn in one go: some ten milliseconds. */
const AT_ONCE = 10;

interface ListProps {
  documents: readonly Document[];
  renderRow: (document: Document, index: number, dragging: RowDragging) => ReactNode;
}

interface DocumentListProps extends ListProps {
  id: string;
  sortable: boolean;
  onOrder: (ids: string[]) => void;
}

/** A category's documents; they can be dragged once what that takes is there. */
export function DocumentList({ sortable, ...props }: DocumentListProps) {
  return sortable ? <Sortable {...props} /> : <Plain {...props} />;
}

/** Delay before another look at whether the page is hydrated, in ms. */
const HYDRATION_PAUSE = 50;

const CONTROLS = "a[href], button, select, input:not([type=hidden]), summary";

/** Where the focus stands: in which row, on which of its controls. */
interface Place {
  row: number;
  control: number;
}

function placeOf(target: EventTarget | null): Place | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = target.closest("li");
  if (!row?.parentElement) return undefined;
  return {
    row: [...row.parentElement.children].indexOf(row),
    control: [...row.querySelectorAll(CONTROLS)].indexOf(target),
  };
}

type DragModule = typeof import("./sortable-documents");

// Once for all lists: a document that moves to another one isn't drawn twice there.
let loaded: DragModule | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function load(): void {
  if (loaded) return;
  // Without it the buttons still move documents: a lost connection is no error here.
  void import("./sortable-documents").then(
    (module) => {
      const announce = () => {
        // An update that reaches a part before it is hydrated has React draw it again from nothing.
        if (isHydrating()) return void setTimeout(announce, HYDRATION_PAUSE);
        loaded = module;
        for (const listener of [...listeners]) listener();
      };
      announce();
    },
    () => undefined,
  );
}

/** Whether something in a list would be lost: a category that isn't sent yet, a selection, an open menu. */
const isChoosing = (box: HTMLElement) =>
  box.querySelector("details[open], [data-select]:checked") !== null ||
  [...box.querySelectorAll("select")].some((select) => select.value !== select.dataset.category);

/** Puts the focus on the control at a place, where the list's rows were mounted again. */
function restoreFocus(box: HTMLElement, { row, control }: Place): void {
  const rows = box.querySelectorAll("li");
  rows[row]?.querySelectorAll<HTMLElement>(CONTROLS)[control]?.focus({ preventScroll: true });
}

/**
 * What dragging takes, once it may take the place of the plain list. That mounts every row again, so it waits for a
 * pressed pointer or key, a picked category and a change that is on its way, and the focus stays where it is.
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
      const place = current.contains(document.activeElement) ? placeOf(document.activeElement) : undefined;
      // In one task with the focus, so that no key is lost in between.
      flushSync(() => setDragging(available));
      if (place) restoreFocus(current, place);
    };
    // Behind the click or submit that ends here.
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

/** What dragging takes is loaded when a pointer or the focus comes near: a third of the screen's own weight. */
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
  // The handle's place; without script there is nothing to drag with.
  const handle = (
    <span aria-hidden="true" className={cx(GRIP, "invisible scripted:visible")}>
      <GripVertical className="size-4" />
    </span>
  );
  return (
    <ul className={LIST}>
      {inParts(documents, AT_ONCE).map((part, n) => (
        <Slice key={part[0]?.id}>
          {part.map((document, index) => (
            <Fragment key={document.id}>{renderRow(document, n * AT_ONCE + index, { handle })}</Fragment>
          ))}
        </Slice>
      ))}
    </ul>
  );
}
