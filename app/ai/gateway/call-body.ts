import { isUtf8 } from "node:buffer";
import { AppError } from "~/core/errors";
import { type Member, scanMembers } from "~/core/parse";
import { parseWellFormed } from "~/core/well-formed";
import { type ProtocolName, protocolOf } from "./protocols/index";
import type { Envelope } from "./protocols/protocol";

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
