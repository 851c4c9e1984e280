import { Fragment } from "react";
import { cutIndex, toDisplayText } from "~/core/well-formed";
import { inBatches, RenderBatch } from "~/ui/render-batch";

/** In characters; cut at a line's end if possible. */
const PIECE = 8000;
const MAX_PIECE_LENGTH = 24_000;
const PIECES_PER_BATCH = 8;

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const newline = text.length - at > PIECE ? text.indexOf("\n", at + PIECE) : text.length;
    let end = newline < 0 ? text.length : newline;
    if (end - at > MAX_PIECE_LENGTH) end = cutIndex(text, at + MAX_PIECE_LENGTH);
    pieces.push(text.slice(at, end));
    at = text.charAt(end) === "\n" ? end + 1 : end;
  }
  return pieces;
}

interface PlainTextProps {
  text: string;
  className?: string;
  /** `ltr` for what machines read, whatever language is in it. */
  dir?: "auto" | "ltr";
}

export function PlainText({ text, className = "prose-qd", dir = "auto" }: PlainTextProps) {
  const style = `wrap-anywhere whitespace-pre-wrap ${className}`;
  const pieces = piecesOf(toDisplayText(text));
  if (pieces.length <= 1) {
    return (
      <p dir={dir} className={style}>
        {pieces}
      </p>
    );
  }
  return (
    <div>
      {inBatches(pieces, PIECES_PER_BATCH).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is identified by its position.
        <RenderBatch key={index}>
          {part.map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <p key={at} dir={dir} className={`text-piece ${style}`}>
              {/* An empty line keeps its height. */}
              {piece || <Fragment>{"\n"}</Fragment>}
            </p>
          ))}
        </RenderBatch>
      ))}
    </div>
  );
}
