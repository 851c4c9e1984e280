import { GripVertical } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { useLazy } from "~/ui/use-lazy";
import type { Document } from "../documents.schema";
import { GRIP, LIST } from "./list-looks";

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

function Sortable(props: Omit<DocumentListProps, "sortable">) {
  const dragging = useLazy(() => import("./sortable-documents"));
  return dragging ? <dragging.SortableDocuments {...props} /> : <Plain {...props} />;
}

function Plain({ documents, renderCard }: ListProps) {
  // The handle's place before there is script to drag with.
  const handle = (
    <span aria-hidden="true" className={cx(GRIP, "invisible")}>
      <GripVertical className="size-4" />
    </span>
  );
  return (
    <ul className={LIST}>
      {documents.map((document, index) => (
        <li key={document.id}>{renderCard(document, index, handle)}</li>
      ))}
    </ul>
  );
}
