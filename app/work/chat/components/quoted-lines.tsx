import { locationOf } from "~/ai/models/quoted-passages.shared";
import { bestSentences } from "~/core/language/quote.shared";
import { toDisplayText } from "~/core/well-formed";
import type { AnswerSource } from "../sources.shared";

/** In characters: some six lines. */
const QUOTE_LENGTH = 320;

/** What a citation quotes, and where it stands. */
export function QuotedLines({ source: { passage } }: { source: AnswerSource }) {
  const location = locationOf(passage);
  const quote = bestSentences(passage.text, passage.question ?? "", QUOTE_LENGTH);
  return (
    <span data-quoted-lines="" className="wrap-anywhere block space-y-1">
      <bdi className="block font-medium">{toDisplayText(passage.title)}</bdi>
      {location && <span className="block text-muted">{toDisplayText(location)}</span>}
      <span dir="auto" className="block whitespace-pre-line border-primary border-s-2 ps-2 text-sm">
        {toDisplayText(quote.replace(/\s*\n\s*/g, "\n"))}
      </span>
    </span>
  );
}
