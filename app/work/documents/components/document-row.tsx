import { ArrowDown, ArrowUp, Eye, FileUp, Globe, Lock, Pencil, RotateCcw, Trash2, Type } from "lucide-react";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { countOf, formatSize } from "~/ui/format";
import { Row } from "~/ui/row";
import type { RowAction } from "~/ui/row-actions";
import { SampleOf } from "~/ui/sample-of";
import { RelativeTime } from "~/ui/time";
import type { Document } from "../documents.schema";
import { useChangesAddress } from "./addresses";
import { CategoryChoice } from "./category-choice";
import { TYPES } from "./document/source-labels";
import { DocumentState, replaceLabel, StatusBadge } from "./document-status";

const LETTERS = 4;

function DocumentType({ metadata: { type, source } }: Pick<Document, "metadata">) {
  const ending = type === "file" ? (/\.([a-z\d]{1,10})$/i.exec(source)?.[1] ?? "") : "";
  const label = ending ? `${ending.toUpperCase()} file` : TYPES[type];
  return (
    <span title={label} className="grid size-8 place-items-center rounded-md bg-active [&_svg]:size-4">
      {type === "url" && <Globe aria-hidden="true" />}
      {type === "text" && <Type aria-hidden="true" />}
      {type === "file" && (
        <span aria-hidden="true" className="font-semibold text-[10px] tracking-tight">
          {shortened(ending)}
        </span>
      )}
      <span className="sr-only">{label}</span>
    </span>
  );
}

function shortened(ending: string): string {
  const known: Record<string, string> = { markdown: "MD", jsonl: "JSON", ndjson: "JSON", text: "TXT" };
  return known[ending.toLowerCase()] ?? (ending.slice(0, LETTERS).toUpperCase() || "FILE");
}

export const LIST = "border-line border-t";

export const GRIP =
  "mr-2 grid h-8 w-5 shrink-0 cursor-grab place-items-center rounded-sm text-muted hover:text-ink pointer-coarse:h-11 pointer-coarse:w-8";

export type RowDragging = Omit<ComponentPropsWithRef<"li">, "title" | "children"> & { handle?: ReactNode };

interface DocumentRowProps {
  document: Document;
  categories: readonly string[];
  mayWrite: boolean;
  dragging?: RowDragging;
  moves?: ReactNode;
}

const documentAddress = (id: string) => `/rag/${encodeURIComponent(id)}`;

export function DocumentRow({
  document,
  categories,
  mayWrite,
  dragging: { handle, className, ...dragging } = {},
  moves,
}: DocumentRowProps) {
  const { id, name, status } = document;
  const changes = useChangesAddress();
  return (
    <Row
      {...dragging}
      data-row={id}
      data-retryable={document.canRetry || undefined}
      name={name}
      to={documentAddress(id)}
      icon={<DocumentType metadata={document.metadata} />}
      meta={<Facts document={document} />}
      details={<DocumentState document={document} mayWrite={mayWrite} />}
      // Beside the name, so that a failure's reason has the row's width.
      badges={
        <>
          <SampleOf id={id} />
          <StatusBadge status={status} />
        </>
      }
      aside={
        mayWrite && (
          <>
            {moves && <span className="row-control flex">{moves}</span>}
            <span className="row-control flex min-w-0">
              <CategoryChoice document={document} categories={categories} quiet />
            </span>
          </>
        )
      }
      actions={actionsOf(document, { changes, mayWrite, isSortable: Boolean(moves) })}
      {...(mayWrite ? { select: id } : {})}
      handle={handle}
      // On narrow screens documents are moved by selecting them.
      className={cx("max-lg:[&>.row-over]:hidden", className)}
    />
  );
}

interface ActionOptions {
  changes: string;
  mayWrite: boolean;
  isSortable: boolean;
}

function actionsOf(document: Document, { changes, mayWrite, isSortable }: ActionOptions): RowAction[] {
  const { id, name, status, canRetry, mayManage, metadata } = document;
  const to = documentAddress(id);
  const form = (intent: string, more: Record<string, string>) => ({
    post: changes,
    values: { intent, ...more },
  });
  const move = (direction: "up" | "down") => form("move", { id, direction });
  const view: RowAction = { label: "View", icon: <Eye />, to };
  if (!mayWrite) return [view];
  return [
    view,
    { label: "Rename", icon: <Pencil />, to: `${to}?dialog=rename` },
    ...(canRetry ? [{ label: "Retry", icon: <RotateCcw />, ...form("retry", { id }) }] : []),
    ...(mayManage && metadata.type !== "url" && status !== "processing"
      ? [{ label: replaceLabel(document), icon: <FileUp />, to: `${to}?dialog=version` }]
      : []),
    ...(isSortable
      ? [
          { label: "Move Up", fullLabel: `Move ${name} up`, icon: <ArrowUp />, ...move("up") },
          { label: "Move Down", fullLabel: `Move ${name} down`, icon: <ArrowDown />, ...move("down") },
        ]
      : []),
    ...(mayManage ? [{ label: "Delete", icon: <Trash2 />, ...form("delete-selected", { ids: id }) }] : []),
  ];
}

function Facts({ document }: { document: Document }) {
  const { metadata, chunks, size, notes, visibility, createdAt, name } = document;
  return (
    <span className="flex min-w-0 items-center gap-x-1.5 tabular-nums">
      {visibility === "named" && (
        <span title="Visible to specific people">
          <Lock aria-hidden="true" className="size-3" />
          <span className="sr-only">Visible to specific people</span>
        </span>
      )}
      {metadata.source && metadata.source !== name && (
        <>
          <span className="min-w-0 truncate">{metadata.source}</span>
          <span aria-hidden="true">·</span>
        </>
      )}
      {size !== null && metadata.type === "file" && (
        <>
          <span className="shrink-0">{formatSize(size)}</span>
          <span aria-hidden="true">·</span>
        </>
      )}
      {chunks > 0 && (
        <>
          <span className="shrink-0">{countOf(chunks, "chunk")}</span>
          <span aria-hidden="true">·</span>
        </>
      )}
      <RelativeTime at={createdAt} style="short" className="shrink-0" />
      {notes.length > 0 && (
        <>
          <span aria-hidden="true">·</span>
          <span className="min-w-0 truncate" title={notes.join("\n")}>
            {notes.join(" ")}
          </span>
        </>
      )}
    </span>
  );
}
