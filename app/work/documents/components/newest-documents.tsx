import { Link } from "@remix-run/react";
import { SampleOf } from "~/ui/sample-of";
import { RelativeTime } from "~/ui/time";
import type { Document } from "../documents.schema";
import { StatusBadge } from "./document-status";

interface NewestDocumentsProps {
  documents: readonly Pick<Document, "id" | "name" | "status" | "createdAt">[];
}

export function NewestDocuments({ documents }: NewestDocumentsProps) {
  return (
    <ul aria-label="Newest documents" className="-my-2 divide-y divide-line">
      {documents.map(({ id, name, status, createdAt }) => (
        <li key={id} className="flex min-h-11 items-center gap-3 py-1">
          <div className="min-w-0 flex-1">
            <Link
              to={`/rag/${encodeURIComponent(id)}`}
              title={name}
              className="block truncate underline-offset-4 hover:underline pointer-coarse:py-2"
            >
              {name}
            </Link>
            <RelativeTime at={createdAt} className="block text-muted text-xs" />
          </div>
          <SampleOf id={id} />
          <StatusBadge status={status} />
        </li>
      ))}
    </ul>
  );
}
