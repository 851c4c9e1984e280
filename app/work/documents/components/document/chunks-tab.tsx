import { Link } from "@remix-run/react";
import { Layers } from "lucide-react";
import { EmptyState } from "~/ui/empty-state";
import { countOf, formatCount } from "~/ui/format";
import { CursorPages } from "~/ui/pagination";
import type { DocumentChunk, DocumentDetail } from "../../documents.schema";
import { labelOfPage } from "./source-labels";

interface ChunksTabProps {
  document: DocumentDetail;
  chunks: DocumentChunk[];
  passageTo: (start: number, end: number) => string;
  firstTo?: string | undefined;
  nextTo?: string | undefined;
}

export function ChunksTab({ document, chunks, passageTo, firstTo, nextTo }: ChunksTabProps) {
  if (chunks.length === 0) {
    return (
      <EmptyState
        icon={<Layers />}
        title="No chunks yet"
        description="Chunks appear here once the document is processed."
      />
    );
  }
  return (
    <>
      <p className="mb-3 text-muted">
        {countOf(document.chunks, "chunk")}. Each chunk is searched and cited separately.
      </p>
      <ol className="flex flex-col gap-3">
        {chunks.map((chunk) => (
          <li key={chunk.position}>
            <ChunkCard chunk={chunk} facts={document.version?.facts} to={passageTo(chunk.start, chunk.end)} />
          </li>
        ))}
      </ol>
      <CursorPages first={firstTo} firstLabel="First Chunks" next={nextTo} nextLabel="Next Chunks" />
    </>
  );
}

interface ChunkCardProps {
  chunk: DocumentChunk;
  facts: Parameters<typeof labelOfPage>[1];
  to: string;
}

function ChunkCard({ chunk, facts: ofDocument, to }: ChunkCardProps) {
  const { position, headings, page, tokens, start, end, text } = chunk;
  const facts = [
    ...(page === null ? [] : [labelOfPage(page, ofDocument)]),
    countOf(tokens, "token"),
    `Characters ${formatCount(start + 1)} to ${formatCount(end)}`,
  ];
  return (
    <article className="rounded-lg border border-line bg-surface p-4 shadow-card">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="text-sm">
          Chunk {formatCount(position + 1)}
          {headings.length > 0 && (
            <span className="wrap-anywhere font-normal text-muted"> · {headings.join(" › ")}</span>
          )}
        </h2>
        <Link
          to={to}
          className="ml-auto inline-flex min-h-8 items-center text-primary-ink text-xs underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          Show in the text<span className="sr-only">: chunk {position + 1}</span>
        </Link>
      </header>
      <p className="mt-0.5 text-muted text-xs tabular-nums">{facts.join(" · ")}</p>
      <p className="wrap-anywhere mt-2.5 max-w-[75ch] whitespace-pre-line leading-6">{text}</p>
    </article>
  );
}
