import { GripVertical } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { cx } from "~/ui/class-names";
import { inParts, Slice } from "~/ui/slice";
import type { Document } from "../documents.schema";
import { GRIP, LIST } from "./list-looks";

/** Cards that are drawn in one go: some ten milliseconds. */
const AT_ONCE = 10;

interface ListProps {
  documents: readonly Document[];
  renderCard: (document: Document, index: number, handle: ReactNode) => ReactNode;
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

const CONTROLS = "a[href], button, select";

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

/** What dragging takes is loaded when a pointer or the focus comes near: a third of the screen's own weight. */
function Sortable(props: Omit<DocumentListProps, "sortable">) {
  const [dragging, setDragging] = useState<typeof import("./sortable-documents")>();
  const box = useRef<HTMLDivElement>(null);
  const focused = useRef<Place>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // Without it the buttons still move: a lost connection here is no error of its own.
    const load = () => void import("./sortable-documents").then(setDragging, () => undefined);
    box.current?.addEventListener("pointerenter", load, { signal });
    box.current?.addEventListener(
      "focusin",
      ({ target }) => {
        focused.current = placeOf(target);
        load();
      },
      { signal },
    );
    return () => controller.abort();
  }, []);
  useEffect(() => {
    // The rows were made anew, and the focus with them.
    if (!dragging || !focused.current || document.activeElement !== document.body) return;
    const { row, control } = focused.current;
    const rows = box.current?.querySelectorAll("li");
    rows?.[row]?.querySelectorAll<HTMLElement>(CONTROLS)[control]?.focus({ preventScroll: true });
  }, [dragging]);
  return <div ref={box}>{dragging ? <dragging.SortableDocuments {...props} /> : <Plain {...props} />}</div>;
}

function Plain({ documents, renderCard }: ListProps) {
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
            <li key={document.id}>{renderCard(document, n * AT_ONCE + index, handle)}</li>
          ))}
        </Slice>
      ))}
    </ul>
  );
}
