import { isUtf8 } from "node:buffer";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { type ProtocolName, protocolOf } from "../protocols/index";
import type { Envelope } from "../protocols/protocol";
import { cutBody, type Member, scanMembers } from "./splice";

/** The envelope and request of a body, and its text split at the model's id. */
interface Inspected {
  envelope: Envelope;
  request: unknown;
  pieces: string[];
}

/** Validates a body before it is parsed. @throws AppError `invalid`, `too_large` */
export function inspect(protocol: ProtocolName, bytes: Uint8Array): Inspected {
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
  return { envelope, request, pieces: cutBody(text, members, "model", envelope.changes) };
}
