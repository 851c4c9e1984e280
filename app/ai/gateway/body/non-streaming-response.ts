import { parseWellFormed } from "~/core/well-formed";
import { type ProtocolName, protocolOf, usageOfBody } from "../protocols/index";
import type { TokenCounts } from "../protocols/wire-usage";

/** A non-streaming response: successful, the provider's error, or unreadable. */
type NonStreamingResponse =
  | { kind: "response"; usage: TokenCounts; body: Uint8Array }
  | { kind: "error"; error: unknown }
  | { kind: "broken" };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a provider's response with a success status. @param inBase64 true to return vectors as base64 */
export function readNonStreamingResponse(
  protocol: ProtocolName,
  bytes: Uint8Array,
  inBase64: boolean,
): NonStreamingResponse {
  let body: unknown;
  try {
    body = parseWellFormed(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { kind: "broken" };
  }
  if (!isObject(body)) return { kind: "broken" };
  const { kind, resultMember } = protocolOf(protocol);
  const list: unknown = body[resultMember];
  if (Array.isArray(list)) {
    const isChanged = inBase64 && kind === "embedding" && encodeVectors(list);
    return {
      kind: "response",
      usage: usageOfBody(protocol, body),
      body: isChanged ? Buffer.from(JSON.stringify(body)) : bytes,
    };
  }
  return body.error ? { kind: "error", error: body.error } : { kind: "broken" };
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === "number");

/** Encodes vectors as base64 of little-endian 32-bit floats. @returns whether there were any */
function encodeVectors(items: readonly unknown[]): boolean {
  let hasVectors = false;
  for (const item of items) {
    if (!isObject(item) || !isVector(item.embedding)) continue;
    const { embedding } = item;
    const bytes = Buffer.alloc(embedding.length * 4);
    for (const [index, value] of embedding.entries()) bytes.writeFloatLE(value, index * 4);
    item.embedding = bytes.toString("base64");
    hasVectors = true;
  }
  return hasVectors;
}
