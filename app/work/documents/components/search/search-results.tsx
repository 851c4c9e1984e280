import { Link } from "@remix-run/react";
import { ArrowRight, ChevronRight, SearchX } from "lucide-react";
import { addressFor } from "~/ai/models/quoted-passages.shared";
import { Notice } from "~/ui/notice";
import type { ScoreParts as Parts, SearchResult } from "~/work/search/search.schema";
import { formatOfName, labelOfPage } from "../document/source-labels";
import { excerptFor, markWords, plainPassage } from "./marked-text";

function ScoreParts({ score, parts }: { score: number; parts: Parts }) {
  const from = [
    parts.keyword && { name: "Keywords", text: `#${parts.keyword.rank}` },
    parts.vector && {
      name: "Vectors",
      text: `#${parts.vector.rank}, similarity ${parts.vector.similarity.toFixed(2)}`,
    },
    parts.rerank && { name: "Reranked", text: `#${parts.rerank.rank}, ${parts.rerank.score.toFixed(2)}` },
  ].filter((part) => part !== null);
  return (
    <dl className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-muted text-xs">
      <div className="flex items-center gap-1.5">
        <dt className="sr-only">Score</dt>
        <dd className="flex items-center gap-1.5 font-medium text-ink">
          <span data-meter="" aria-hidden="true" className="h-1 w-10 overflow-hidden rounded-full bg-active">
            <span
              className="block h-full rounded-full bg-primary-ink"
              style={{ width: `${Math.round(Math.min(1, Math.max(0, score)) * 100)}%` }}
            />
          </span>
          {score.toFixed(2)}
        </dd>
      </div>
      {from.map(({ name, text }) => (
        <div key={name} className="flex gap-1">
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SearchResultsProps {
  results: readonly SearchResult[];
  query: string;
  notice: string | null;
  advice: string;
  summary?: string;
}

export function SearchResults({ results, query, notice, advice, summary }: SearchResultsProps) {
  return (
    <section aria-label="Results" className="mt-4 max-w-3xl">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p role="status" className="font-medium">
          Found {results.length} results
        </p>
        {summary && <p className="text-muted text-xs tabular-nums">{summary}</p>}
      </div>
      {notice && (
        <Notice kind="warning" className="mt-2">
          {notice}
        </Notice>
      )}
      {results.length === 0 ? (
        <div className="flex flex-col items-center px-4 py-8 text-center">
          <SearchX aria-hidden="true" className="size-6 text-muted" />
          <p className="mt-2 text-muted">No matching passages. {advice}</p>
        </div>
      ) : (
        <ol className="mt-1 *:not-last:border-line *:not-last:border-b">
          {results.map((result) => (
            <li key={`${result.metadata.documentId} ${result.metadata.start}`}>
              <SearchResultCard result={result} query={query} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

interface SearchResultCardProps {
  result: SearchResult;
  query: string;
}

function SearchResultCard({ result, query }: SearchResultCardProps) {
  const { metadata, content, score, scores } = result;
  const passageTo = addressFor({ url: metadata.url, question: query });
  const excerpt = excerptFor(plainPassage(content), query);
  const { headings, page, lastPage, sheet } = metadata;
  const format = formatOfName(metadata.source);
  const pageLabel = page === null ? undefined : (sheet ?? labelOfPage(page, { format }, lastPage));
  // A workbook's headings begin with its sheet.
  const path = [...headings, ...(pageLabel === undefined || pageLabel === headings[0] ? [] : [pageLabel])];
  return (
    <article className="flex min-w-0 flex-col gap-1.5 py-3.5">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="wrap-anywhere min-w-0 text-sm">
          <Link to={passageTo} className="text-primary-ink underline-offset-4 hover:underline">
            {metadata.title}
          </Link>
        </h3>
        <ScoreParts score={score} parts={scores} />
      </header>
      <p className="wrap-anywhere flex flex-wrap items-center gap-x-1 text-muted text-xs">
        <span>{metadata.category}</span>
        {path.map((heading, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a heading is its position in the path; two may be equal.
          <span key={index} className="inline-flex min-w-0 items-center gap-x-1">
            <ChevronRight aria-hidden="true" className="size-3 shrink-0" />
            {heading}
          </span>
        ))}
      </p>
      <Marked text={excerpt} query={query} />
      <p className="flex flex-wrap items-center gap-x-4">
        <Link
          to={passageTo}
          className="inline-flex min-h-8 items-center gap-1 text-primary-ink text-xs underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          Open the passage
          <span className="sr-only"> in {metadata.title}</span>
          <ArrowRight aria-hidden="true" className="size-3.5" />
        </Link>
      </p>
    </article>
  );
}

function Marked({ text, query }: { text: string; query: string }) {
  return (
    <p className="wrap-anywhere whitespace-pre-line text-sm">
      {markWords(text, query).map(({ at, text: words, isMarked }) =>
        isMarked ? (
          <mark key={at} className="rounded-xs bg-warning-soft px-0.5 text-warning-ink">
            {words}
          </mark>
        ) : (
          words
        ),
      )}
    </p>
  );
}
