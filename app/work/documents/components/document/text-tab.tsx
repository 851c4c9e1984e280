import { Link } from "@remix-run/react";
import { FileText, Quote } from "lucide-react";
import { useEffect } from "react";
import { LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { EmptyState } from "~/ui/empty-state";
import { formatCount } from "~/ui/format";
import type { DocumentDetail, TextPage } from "../../documents.schema";
import { DocumentText } from "./document-text";
import { headingsAt, outlineOf, type Range } from "./layout-text";
import { labelOfPage, pictureUrl } from "./source-labels";

const MIN_HEADINGS = 2;
const INDENTS = ["", "pl-3", "pl-6", "pl-8"];

function Outline({ page }: { page: TextPage }) {
  const entries = outlineOf(page);
  if (entries.length < MIN_HEADINGS) return null;
  const top = Math.min(...entries.map(({ level }) => level));
  return (
    <nav
      aria-label="Outline"
      className="sticky top-20 hidden max-h-[calc(100dvh-6rem)] self-start overflow-y-auto border-line border-l pl-4 xl:block"
    >
      <p className="mb-1.5 font-medium text-muted text-xs">On this page</p>
      <ul>
        {entries.map(({ id, level, text }) => (
          <li key={id} className={cx(INDENTS[Math.min(level - top, INDENTS.length - 1)])}>
            <a
              href={`#${id}`}
              className="block truncate rounded-sm py-1 text-muted text-xs hover:text-ink pointer-coarse:py-3"
              title={text}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface TextTabProps {
  document: DocumentDetail;
  page: TextPage;
  /** The version shown if it isn't the current one. */
  version: number | undefined;
  passage: Range | undefined;
  quote: Range | undefined;
  answerTo: string | undefined;
  address: (change: Record<string, string>) => string;
}

export function TextTab({ document, page, version, passage, quote, answerTo, address }: TextTabProps) {
  const pageLabel = (number: number) => labelOfPage(number, document.version?.facts);
  if (page.length === 0) {
    return (
      <EmptyState
        icon={<FileText />}
        title={document.status === "failed" ? "No text" : "No text yet"}
        description={
          document.status === "failed"
            ? "Processing failed, so there is no text to show."
            : "The text appears here once the document is processed."
        }
      />
    );
  }
  return (
    <>
      {passage && (
        <Passage
          key={passage.start}
          document={document}
          page={page}
          passage={passage}
          answerTo={answerTo}
          pageLabel={pageLabel}
          address={address}
        />
      )}
      <div className="xl:grid xl:grid-cols-[minmax(0,75ch)_minmax(0,16rem)] xl:gap-10">
        <DocumentText
          page={page}
          passage={passage}
          quote={quote}
          pageLabel={pageLabel}
          pictureOf={(number) => pictureUrl(document, number, version)}
        />
        <Outline page={page} />
      </div>
      {passage && passage.end > page.end && page.next !== null && (
        <p className="mt-4">
          <Link
            to={`${address({ from: String(page.next), to: String(passage.end) })}#passage`}
            className="text-primary-ink underline underline-offset-4"
          >
            The passage continues on the next page
          </Link>
        </p>
      )}
      <Pages page={page} address={address} />
    </>
  );
}

interface PassageProps extends Omit<TextTabProps, "quote" | "version"> {
  passage: Range;
  pageLabel: (number: number) => string;
}

function Passage({ document, page, passage, answerTo, pageLabel, address }: PassageProps) {
  const isAvailable = passage.start < page.length;
  useEffect(() => {
    if (isAvailable) window.document.getElementById("passage")?.focus();
  }, [isAvailable]);
  const headings = headingsAt(page, passage.start);
  const block = page.blocks.find(({ end }) => end > passage.start);
  const location = [...headings, ...(block?.page === undefined ? [] : [pageLabel(block.page)])].join(" › ");
  return (
    <div
      role="status"
      className="sticky short:static top-[calc(var(--header)+0.25rem)] z-10 mb-5 flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md border border-line bg-raised px-3 py-2 shadow-card"
    >
      <Quote aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <p className="wrap-anywhere min-w-0 flex-1 basis-60">
        {isAvailable ? (
          <>
            <span className="font-medium">{document.name}</span>
            <span className="text-muted"> · Cited passage{location && ` · ${location}`}</span>
          </>
        ) : (
          `The cited passage no longer exists: ${document.name} has changed since.`
        )}
      </p>
      {answerTo && (
        <Link to={answerTo} className="text-primary-ink underline underline-offset-4">
          Back to the answer
        </Link>
      )}
      {isAvailable && (
        <a href="#passage" className="text-primary-ink underline underline-offset-4">
          Go to passage
        </a>
      )}
      <Link
        to={address({ from: String(page.start) })}
        preventScrollReset
        className="text-primary-ink underline underline-offset-4"
      >
        Remove highlight
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
            Previous Page
          </LinkButton>
        )}
        {next !== null && <LinkButton to={address({ from: String(next) })}>Next Page</LinkButton>}
      </div>
    </nav>
  );
}
