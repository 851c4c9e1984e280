import { createContext, Fragment, type ReactNode, useContext } from "react";
import { locationOf } from "~/ai/models/quoted-passages.shared";
import { toDisplayText } from "~/core/well-formed";
import { lazyPart } from "~/ui/lazy-part";
import { Tooltip } from "~/ui/tooltip";
import { type AnswerSource, type AnswerSources, BARE_CITATION } from "../sources.shared";
import { SourceLink } from "./opened-source";

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
