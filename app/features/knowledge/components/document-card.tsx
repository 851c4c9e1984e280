import { Link } from "@remix-run/react";
import { Eye, FileText, Globe, Lock, Type } from "lucide-react";
import type { ReactNode } from "react";
import { IconLink } from "~/ui/button";
import { countOf } from "~/ui/format";
import { RelativeTime } from "~/ui/time";
import type { Document } from "../documents.schema";
import { CategoryChoice } from "./category-choice";
import { DocumentState, StatusBadge } from "./document-status";

interface DocumentCardProps {
  document: Document;
  /** The categories' names; the dropdown is for who may write. */
  categories: readonly string[];
  mayWrite: boolean;
  /** What drags it. */
  handle?: ReactNode;
  /** The buttons that move it. */
  moves?: ReactNode;
}

const TYPES = {
  text: { icon: <Type />, label: "Text" },
  url: { icon: <Globe />, label: "Web page" },
  file: { icon: <FileText />, label: "File" },
};

export const documentAddress = (id: string) => `/rag/${encodeURIComponent(id)}`;

/** One document with everything that can be done to it from the list. */
export function DocumentCard({ document, categories, mayWrite, handle, moves }: DocumentCardProps) {
  const { id, name, metadata } = document;
  const type = TYPES[metadata.type];
  return (
    // What is done with it stands on a line of its own where the card, not the window, has no room for it beside the name.
    <article data-row={id} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5">
      {handle}
      <span
        title={type.label}
        className="grid size-8 shrink-0 place-items-center rounded-md bg-active text-muted [&_svg]:size-4"
      >
        {type.icon}
        <span className="sr-only">{type.label}</span>
      </span>
      <div className="min-w-0 grow-999 basis-48">
        <h4 className="wrap-anywhere line-clamp-2 font-medium text-sm">
          <Link to={documentAddress(id)} className="underline-offset-4 hover:underline">
            {name}
          </Link>
        </h4>
        <Facts document={document} />
        <DocumentState document={document} mayWrite={mayWrite} />
      </div>
      <div className="flex min-w-0 grow items-center justify-end gap-x-2">
        <span className="mr-auto shrink-0">
          <StatusBadge status={document.status} />
        </span>
        {mayWrite && <CategoryChoice document={document} categories={categories} />}
        <span className="flex">
          {moves}
          <IconLink to={documentAddress(id)} label={`View ${name}`} icon={<Eye />} />
        </span>
      </div>
    </article>
  );
}

function Facts({ document }: { document: Document }) {
  const { metadata, chunks, visibility, createdAt, name } = document;
  return (
    <p className="flex min-w-0 items-center gap-x-1.5 text-muted text-xs tabular-nums">
      {visibility === "named" && (
        <span title="Seen by named members">
          <Lock aria-hidden="true" className="size-3" />
          <span className="sr-only">Seen by named members</span>
        </span>
      )}
      {metadata.source && metadata.source !== name && (
        <>
          <span className="min-w-0 truncate">{metadata.source}</span>
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
    </p>
  );
}
