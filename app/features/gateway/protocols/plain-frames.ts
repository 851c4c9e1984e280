import type { PassedProtocol } from "./wire-usage";

const LF = 10;
const QUOTE = 34;
const SPACE = 32;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;

/** The character at which a JSON member's value begins, -1 without it; inside a text the name's quotes are escaped. */
function valueAt(frame: string, member: string): number {
  const found = frame.indexOf(member);
  if (found === -1) return -1;
  const at = found + member.length;
  return frame.charCodeAt(at) === SPACE ? at + 1 : at;
}

function startsWith(code: number, frame: string, member: string): boolean {
  const at = valueAt(frame, member);
  return at !== -1 && frame.charCodeAt(at) === code;
}

function isPlainChat(frame: string): boolean {
  if (!frame.startsWith("data:") || frame.includes("\n")) return false;
  const text = valueAt(frame, '"content":');
  if (text === -1 || frame.charCodeAt(text) !== QUOTE || frame.charCodeAt(text + 1) === QUOTE) return false;
  return !startsWith(QUOTE, frame, '"finish_reason":');
}

function isPlainNamed(frame: string, isDelta: (name: string) => boolean): boolean {
  const end = frame.indexOf("\n");
  if (end === -1 || !frame.startsWith("event: ") || !frame.startsWith("data:", end + 1)) return false;
  return frame.indexOf("\n", end + 1) === -1 && isDelta(frame.slice(7, end));
}

const PLAIN: Partial<Record<PassedProtocol, (frame: string) => boolean>> = {
  "openai-chat": isPlainChat,
  "openai-responses": (frame) => isPlainNamed(frame, (name) => name.endsWith(".delta")),
  "anthropic-messages": (frame) => isPlainNamed(frame, (name) => name === "content_block_delta"),
};

/**
 * Whether a piece of a stream is made of whole frames that are tokens of the answer and nothing else: no usage, no end,
 * no error. Most pieces are. `StreamWatch` says the same of each of these frames, at ten times the cost.
 */
export function isPlain(protocol: PassedProtocol, piece: Buffer): boolean {
  const { length } = piece;
  if (piece[length - 1] !== LF || piece[length - 2] !== LF) return false;
  const isPlainFrame = PLAIN[protocol];
  if (!isPlainFrame) return false;
  const text = piece.toString("latin1");
  for (let start = 0; start < length; ) {
    const end = text.indexOf("\n\n", start);
    if (text.charCodeAt(end - 1) !== BRACE_CLOSE) return false;
    const frame = text.slice(start, end);
    if (!isPlainFrame(frame) || startsWith(BRACE_OPEN, frame, '"usage":')) return false;
    start = end + 2;
  }
  return true;
}
