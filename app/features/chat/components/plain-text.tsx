import { Fragment } from "react";
import { inParts, Slice } from "~/ui/slice";
import { shownText } from "../shown-text.schema";

/** Of a paragraph of its own, in characters; it ends with a line where one ends. */
const PIECE = 8000;
const LONGEST_PIECE = 24_000;
/** Paragraphs drawn in one turn. */
const TOGETHER = 8;

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const newline = text.length - at > PIECE ? text.indexOf("\n", at + PIECE) : text.length;
    let end = newline < 0 ? text.length : newline;
    if (end - at > LONGEST_PIECE) {
      end = at + LONGEST_PIECE;
      // Not through the middle of a character.
      if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
    }
    pieces.push(text.slice(at, end));
    at = text.charAt(end) === "\n" ? end + 1 : end;
  }
  return pieces;
}

/** A text as it is, its lines kept. A long one is drawn in parts, and what isn't in sight isn't laid out. */
export function PlainText({ text, className = "prose-qd" }: { text: string; className?: string }) {
  const style = `wrap-anywhere whitespace-pre-wrap ${className}`;
  const pieces = piecesOf(shownText(text));
  if (pieces.length <= 1) {
    return (
      <p dir="auto" className={style}>
        {pieces}
      </p>
    );
  }
  return (
    <div>
      {inParts(pieces, TOGETHER).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the text.
        <Slice key={index}>
          {part.map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <p key={at} dir="auto" className={`text-piece ${style}`}>
              {/* An empty line keeps its height. */}
              {piece || <Fragment>{"\n"}</Fragment>}
            </p>
          ))}
        </Slice>
      ))}
    </div>
  );
}
