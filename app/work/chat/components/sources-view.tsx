import { BookOpenText } from "lucide-react";
import { locationOf } from "~/ai/models/quoted-passages.shared";
import { toDisplayText } from "~/core/well-formed";
import { countOf } from "~/ui/format";
import type { AnswerSource } from "../sources.shared";
import { SourceLink } from "./opened-source";

function Source({ source }: { source: AnswerSource }) {
  const { number, passage } = source;
  const location = locationOf(passage);
  return (
    <li>
      <SourceLink
        source={source}
        className="-mx-1.5 flex min-h-8 items-baseline gap-2 rounded-sm px-1.5 py-1.5 text-sm hover:bg-hover pointer-coarse:min-h-11"
      >
        <span className="min-w-5 shrink-0 rounded-xs bg-primary-soft text-center font-medium text-primary-ink text-xs tabular-nums">
          {number}
        </span>
        <span className="wrap-anywhere min-w-0">
          <bdi className="font-medium">{toDisplayText(passage.title)}</bdi>
          {location && <span className="text-muted text-xs"> · {toDisplayText(location)}</span>}
        </span>
      </SourceLink>
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

const FRAME = "rounded-md border border-line bg-surface px-3 py-2";

function Folded({ label, sources }: { label: string; sources: readonly AnswerSource[] }) {
  return (
    <details>
      <summary className="disclosure min-h-8 cursor-pointer py-1.5 text-muted text-xs pointer-coarse:min-h-11">
        {label}
      </summary>
      <List sources={sources} />
    </details>
  );
}

interface SourcesViewProps {
  sources: readonly AnswerSource[];
  complete: boolean;
}

export function SourcesView({ sources, complete }: SourcesViewProps) {
  const cited = sources.filter((source) => source.cited);
  const rest = sources.filter((source) => !source.cited);
  if (cited.length === 0) {
    if (rest.length === 0 || complete) return null;
    return (
      <section data-sources="" aria-label="Found, not cited" className={FRAME}>
        <Folded label={`Found, not cited: ${countOf(rest.length, "passage")}`} sources={rest} />
      </section>
    );
  }
  const more = rest.length === 1 ? "1 more passage was found" : `${rest.length} more passages were found`;
  return (
    <section data-sources="" aria-label="Sources" className={FRAME}>
      <p className="flex items-center gap-1.5 text-muted text-xs">
        <BookOpenText aria-hidden="true" className="size-3.5" />
        Sources
      </p>
      <List sources={cited} />
      {rest.length > 0 && <Folded label={more} sources={rest} />}
    </section>
  );
}
