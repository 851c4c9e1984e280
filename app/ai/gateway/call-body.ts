import { isUtf8 } from "node:buffer";
import { AppError } from "~/core/errors";
import { endOfString } from "~/core/parse";
import { parseWellFormed } from "~/core/well-formed";
import { type ProtocolName, protocolOf } from "./protocols/index";
import type { Envelope } from "./protocols/protocol";

/** Depth and value limits: parsed JSON takes many times its bytes. */
const MAX_DEPTH = 64;
const MAX_VALUES = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

export interface Member {
  key: string;
  start: number;
  end: number;
}

function keyOf(raw: string): string {
  return raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
}

/**
 * Locates the members of a JSON object without parsing, to change one value and keep every other byte.
 * @throws AppError `invalid` for excessive depth or size; SyntaxError for an unreadable key; the parser finds other
 * faults
 */
export function scanMembers(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let values = 0;
  let key: string | undefined;
  let start = -1;
  const close = (end: number) => {
    if (key !== undefined && start >= 0) members.push({ key, start, end });
    key = undefined;
    start = -1;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1 && key === undefined) key = keyOf(text.slice(at, end + 1));
      at = end;
    } else if (code === COMMA) {
      if (++values > MAX_VALUES)
        throw new AppError("invalid", `The JSON contains more than ${MAX_VALUES} values.`);
      if (depth === 1) close(at);
    } else if (code === COLON) {
      if (depth === 1 && start < 0) start = at + 1;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new AppError("invalid", `The JSON nests deeper than ${MAX_DEPTH} levels.`);
    } else if (code === 0x7d || code === 0x5d) {
      if (depth-- === 1) close(at);
    }
  }
  return members;
}

/**
 * Cuts a body at the values of the member `splitKey` and applies `changes` to others. Joining the pieces with a value
 * gives a complete body.
 *
 * @param members of `scanMembers`
 * @param changes JSON by member; a member that isn't there is added
 */
export function cutBody(
  text: string,
  members: readonly Member[],
  splitKey: string,
  changes: Readonly<Record<string, string>>,
): string[] {
  const pieces: string[] = [];
  let piece = "";
  let from = 0;
  for (const { key, start, end } of members) {
    const change = Object.hasOwn(changes, key) ? changes[key] : undefined;
    if (key !== splitKey && change === undefined) continue;
    piece += text.slice(from, start);
    from = end;
    if (key === splitKey) {
      pieces.push(piece);
      piece = "";
    } else piece += change;
  }
  const existing = new Set(members.map(({ key }) => key));
  const added = Object.entries(changes).filter(([key]) => !existing.has(key));
  const rest = text.slice(from);
  const end = rest.lastIndexOf("}");
  const more = added.map(([key, json]) => `,${JSON.stringify(key)}:${json}`).join("");
  pieces.push(piece + rest.slice(0, end) + more + rest.slice(end));
  return pieces;
}

export interface CallBody {
  envelope: Envelope;
  request: unknown;
  /** In bytes. */
  size: number;
  /** The body for a provider of the same protocol, with its model id. */
  forModel(modelId: string): string;
}

/**
 * Validates a body before and after it is parsed. It is parsed at once: the largest that the limits allow takes about
 * 50 ms.
 * @throws AppError `invalid` with `fields`, `too_large`
 */
export function readCallBody(
  protocol: ProtocolName,
  bytes: Uint8Array,
  check = protocolOf(protocol).check,
): CallBody {
  if (!isUtf8(bytes)) throw new AppError("invalid", "The body is not valid UTF-8.");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  let members: Member[];
  let body: unknown;
  try {
    members = scanMembers(text);
    body = parseWellFormed(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid", "The body is not valid JSON.", { cause: error });
  }
  const { envelope, request } = check(body);
  const pieces = cutBody(text, members, "model", envelope.changes);
  return {
    envelope,
    request,
    size: bytes.byteLength,
    forModel: (modelId) => pieces.join(JSON.stringify(modelId)),
  };
}
