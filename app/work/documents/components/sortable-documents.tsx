import { GripVertical } from "lucide-react";
import type { ReactNode } from "react";
import { DragDropContext, Draggable, Droppable, type DropResult } from "react-beautiful-dnd";
import type { Document } from "../documents.schema";
import type { RowDragging } from "./document-row";
import { GRIP, LIST } from "./document-row";

interface SortableDocumentsProps {
  id: string;
  documents: readonly Document[];
  onOrder: (ids: string[]) => void;
  renderRow: (document: Document, index: number, dragging: RowDragging) => ReactNode;
}

export function SortableDocuments({ id, documents, onOrder, renderRow }: SortableDocumentsProps) {
  const drop = ({ source, destination }: DropResult) => {
    if (!destination || destination.index === source.index) return;
    const ids = documents.map((document) => document.id);
    const [moved] = ids.splice(source.index, 1);
    if (moved === undefined) return;
    ids.splice(destination.index, 0, moved);
    onOrder(ids);
  };
  return (
    <DragDropContext onDragEnd={drop} nonce={readNonce()}>
      <Droppable droppableId={id}>
        {({ innerRef, droppableProps, placeholder }) => (
          <ul ref={innerRef} {...droppableProps} className={LIST}>
            {documents.map((document, index) => (
              <Draggable key={document.id} draggableId={document.id} index={index}>
                {(provided, { isDragging }) => (
                  // Draggable requires an element.
                  <>
                    {renderRow(document, index, {
                      ...provided.draggableProps,
                      ref: provided.innerRef,
                      handle: (
                        <span {...provided.dragHandleProps} className={GRIP}>
                          <span className="sr-only">Drag {document.name}</span>
                          <GripVertical aria-hidden="true" className="size-4" />
                        </span>
                      ),
                      ...(isDragging ? { className: "rounded-lg bg-raised shadow-float" } : {}),
                    })}
                  </>
                )}
              </Draggable>
            ))}
            {placeholder}
          </ul>
        )}
      </Droppable>
    </DragDropContext>
  );
}

/** The CSP nonce for drag styles: the attribute is hidden from scripts, the property isn't. */
function readNonce(): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}
