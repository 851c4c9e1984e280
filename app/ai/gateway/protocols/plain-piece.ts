import { startsWith } from "./plain-frames";
import type { StreamFormat } from "./protocol";

const LF = 10;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;

/** Whether a piece consists of whole token frames, as most do. Ten times cheaper than `StreamWatch`. */
export function isPlainPiece({ isPlain }: StreamFormat, piece: Buffer): boolean {
  const { length } = piece;
  if (piece[length - 1] !== LF || piece[length - 2] !== LF) return false;
  const text = piece.toString("latin1");
  for (let start = 0; start < length; ) {
    const end = text.indexOf("\n\n", start);
    if (text.charCodeAt(end - 1) !== BRACE_CLOSE) return false;
    const frame = text.slice(start, end);
    if (!isPlain(frame) || startsWith(BRACE_OPEN, frame, '"usage":')) return false;
    start = end + 2;
  }
  return true;
}
