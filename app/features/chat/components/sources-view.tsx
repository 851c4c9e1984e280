import { BookOpenText } from "lucide-react";
import { placeOf } from "~/features/knowledge/passages.schema";
import type { AnswerSource } from "../sources.schema";

/** Shown at once where the answer names none of them. */
const FEW = 3;

function Source({ source: { number, passage } }: { source: AnswerSource }) {
  const place = placeOf(passage);
  return (
    <li>
      <a
        href={passage.url}
        className="-mx-1.5 flex min-h-8 items-baseline gap-2 rounded-sm px-1.5 py-1.5 text-sm hover:bg-hover pointer-coarse:min-h-11"
      >
        <span className="min-w-5 shrink-0 rounded-xs bg-primary-soft text-center font-medium text-primary-ink text-xs tabular-nums">
          {number}
        </span>
        <span className="wrap-anywhere min-w-0">
          <span className="font-medium">{passage.title}</span>
          {place && <span className="text-muted text-xs"> · {place}</span>}
        </span>
      </a>
    </li>
  );
}

function List({ sources }: { sources: readonly AnswerSource[] }) {
  return (
    <ol className="list-none">
      {sources.map((source) => (
        <Source key={source.passage.url} source={source} />
      ))}
    </ol>
  );
}

/** The passages an answer rests on, each leading to its place in the document; what was found beside them is closed. */
export function SourcesView({ sources }: { sources: readonly AnswerSource[] }) {
  const cited = sources.filter((source) => source.cited);
  const shown = cited.length > 0 ? cited : sources.slice(0, FEW);
  const rest = sources.filter((source) => !shown.includes(source));
  if (shown.length === 0) return null;
  return (
    <section aria-label="Sources" className="rounded-md border border-line bg-surface px-3 py-2">
      <p className="flex items-center gap-1.5 text-muted text-xs">
        <BookOpenText aria-hidden="true" className="size-3.5" />
        Sources
      </p>
      <List sources={shown} />
      {rest.length > 0 && (
        <details>
          <summary className="min-h-8 cursor-pointer py-1.5 text-muted text-xs pointer-coarse:min-h-11">
            {rest.length === 1 ? "1 more passage was found" : `${rest.length} more passages were found`}
          </summary>
          <List sources={rest} />
        </details>
      )}
    </section>
  );
}
