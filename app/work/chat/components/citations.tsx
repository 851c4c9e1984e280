import { BookOpenText } from "lucide-react";
import {
  type ComponentProps,
  createContext,
  Fragment,
  type MouseEvent,
  type ReactNode,
  useContext,
} from "react";
import { addressFor, isWebPage, locationOf } from "~/ai/models/quoted-passages.shared";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { countOf } from "~/ui/format";
import { lazyPart } from "~/ui/lazy-part";
import { Tooltip } from "~/ui/tooltip";
import { type AnswerSource, type AnswerSources, BARE_CITATION } from "../sources.shared";
import { useOpenSource } from "./opened-source";

const Context = createContext<AnswerSources | undefined>(undefined);

export const CitationsProvider = Context.Provider;

function describe({ number, passage }: AnswerSource): string {
  return toDisplayText(
    `Source ${number}: ${[passage.title, locationOf(passage)].filter(Boolean).join(", ")}`,
  );
}

const quotedLines = lazyPart(
  () => import("./quoted-lines").then((module) => module.QuotedLines),
  "[data-quoted-lines]",
);

/** Opens a passage beside the conversation or on its document's page, and a page of the web in a tab of its own. */
function SourceLink({ source, ...link }: { source: AnswerSource } & ComponentProps<"a">) {
  const open = useOpenSource();
  const { passage } = source;
  const isWeb = isWebPage(passage.url);
  return (
    <a
      {...link}
      href={isWeb ? passage.url : withBase(addressFor(passage))}
      {...(isWeb
        ? { target: "_blank", rel: "noreferrer" }
        : open && { onClick: (event: MouseEvent<HTMLAnchorElement>) => open(event, source) })}
    />
  );
}

function Citation({ source }: { source: AnswerSource }) {
  const description = describe(source);
  return (
    <Tooltip text={description} card={() => <quotedLines.Part source={source} fallback={description} />}>
      <SourceLink
        source={source}
        aria-label={description}
        className="mx-0.5 inline-block min-w-5 rounded-xs bg-primary-soft px-1 text-center font-medium text-primary-ink text-xs tabular-nums no-underline hover:underline pointer-coarse:min-w-8 pointer-coarse:py-1.5"
      >
        {source.number}
      </SourceLink>
    </Tooltip>
  );
}

/** Turns numbered links to found passages into citations; others are `otherwise`. */
export function CitedLink({ href, text, otherwise }: { href: string; text: string; otherwise: ReactNode }) {
  const source = useContext(Context)?.byUrl.get(href);
  return source && /^\W*\d+\W*$/.test(text) ? <Citation source={source} /> : otherwise;
}

export function CitedText({ text }: { text: string }) {
  const sources = useContext(Context);
  if (!sources || sources.byNumber.size === 0) return text;
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(BARE_CITATION)) {
    const source = sources.byNumber.get(Number(match[1]));
    if (!source) continue;
    pieces.push(
      <Fragment key={match.index}>
        {text.slice(end, match.index)}
        <Citation source={source} />
      </Fragment>,
    );
    end = match.index + match[0].length;
  }
  return (
    <>
      {pieces}
      {text.slice(end)}
    </>
  );
}

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
      <section aria-label="Found, not cited" className={FRAME}>
        <Folded label={`Found, not cited: ${countOf(rest.length, "passage")}`} sources={rest} />
      </section>
    );
  }
  const more = rest.length === 1 ? "1 more passage was found" : `${rest.length} more passages were found`;
  return (
    <section aria-label="Sources" className={FRAME}>
      <p className="flex items-center gap-1.5 text-muted text-xs">
        <BookOpenText aria-hidden="true" className="size-3.5" />
        Sources
      </p>
      <List sources={cited} />
      {rest.length > 0 && <Folded label={more} sources={rest} />}
    </section>
  );
}
