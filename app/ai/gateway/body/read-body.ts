import { isUtf8 } from "node:buffer";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { type ProtocolName, protocolOf } from "../protocols/index";
import type { Envelope } from "../protocols/protocol";
import { cutBody, type Member, scanMembers } from "./splice";

export interface CallBody {
  envelope: Envelope;
  /** The parsed request, for a translation. */
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
export function readCallBody(protocol: ProtocolName, bytes: Uint8Array): CallBody {
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
  const { envelope, request } = protocolOf(protocol).check(body);
  const pieces = cutBody(text, members, "model", envelope.changes);
  return {
    envelope,
    request,
    size: bytes.byteLength,
    forModel: (modelId) => pieces.join(JSON.stringify(modelId)),
  };
}
