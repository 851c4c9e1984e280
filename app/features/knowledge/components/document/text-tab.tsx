import { Link } from "@remix-run/react";
import { FileText, Quote } from "lucide-react";
import { useEffect } from "react";
import { LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { formatCount } from "~/ui/format";
import type { DocumentDetail, TextPage } from "../../document-view.schema";
import { DocumentText } from "./document-text";
import { headingsAt, type Range } from "./layout-text";

interface TextTabProps {
  document: DocumentDetail;
  page: TextPage;
  passage: Range | undefined;
  /** This document's address with other parameters. */
  address: (change: Record<string, string>) => string;
}

/** The text that was read out of a document, a page at a time, and in it the passage that a citation points to. */
export function TextTab({ document, page, passage, address }: TextTabProps) {
  if (page.length === 0) {
    return (
      <EmptyState
        icon={<FileText />}
        title={document.status === "failed" ? "No text" : "No text yet"}
        description={
          document.status === "failed"
            ? "The document could not be read, so there is no text to show."
            : "The text appears here as soon as the document has been read."
        }
      />
    );
  }
  return (
    <>
      {passage && (
        <Passage key={passage.start} document={document} page={page} passage={passage} address={address} />
      )}
      <DocumentText page={page} passage={passage} />
      {passage && passage.end > page.end && page.next !== null && (
        <p className="mt-4">
          <Link
            to={`${address({ from: String(page.next), to: String(passage.end) })}#passage`}
            className="text-primary-ink underline underline-offset-4"
          >
            The passage goes on on the next page
          </Link>
        </p>
      )}
      <Pages page={page} address={address} />
    </>
  );
}

function Passage({ document, page, passage, address }: TextTabProps & { passage: Range }) {
  const there = passage.start < page.length;
  useEffect(() => {
    // The router scrolls to the anchor; a screen reader goes on from where the focus is.
    if (there) window.document.getElementById("passage")?.focus();
  }, [there]);
  const headings = headingsAt(page, passage.start);
  const block = page.blocks.find(({ end }) => end > passage.start);
  const place = [...headings, ...(block?.page === undefined ? [] : [`Page ${block.page}`])].join(" › ");
  return (
    <div
      role="status"
      className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-md border border-line bg-sunken px-3 py-2"
    >
      <Quote aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <p className="wrap-anywhere min-w-0 flex-1 basis-60">
        {there ? (
          <>
            <span className="font-medium">The cited passage is marked</span>
            {place && <span className="text-muted"> · {place}</span>}
          </>
        ) : (
          `The cited passage isn't there any more: ${document.name} has changed since.`
        )}
      </p>
      {there && (
        <a href="#passage" className="text-primary-ink underline underline-offset-4">
          Go to the passage
        </a>
      )}
      <Link
        to={address({ from: String(page.start) })}
        preventScrollReset
        className="text-primary-ink underline underline-offset-4"
      >
        Remove the mark
      </Link>
    </div>
  );
}

function Pages({ page, address }: Pick<TextTabProps, "page" | "address">) {
  const { start, end, length, previous, next } = page;
  if (previous === null && next === null) return null;
  return (
    <nav
      aria-label="Pages of the text"
      className="mt-6 flex flex-wrap items-center justify-between gap-2 border-line border-t pt-4"
    >
      <p className="text-muted text-xs tabular-nums">
        Characters {formatCount(start + 1)} to {formatCount(end)} of {formatCount(length)}
      </p>
      <div className="flex gap-2">
        {previous !== null && (
          <LinkButton to={address(previous === 0 ? {} : { from: String(previous) })}>
            Previous page
          </LinkButton>
        )}
        {next !== null && <LinkButton to={address({ from: String(next) })}>Next page</LinkButton>}
      </div>
    </nav>
  );
}
