import { type PassedProtocol, type TokenCounts, usageOfBody } from "../protocols/wire-usage";

/** What an answer in one piece is: a good one with its usage, the provider's own error, or nothing that can be read. */
export type WholeAnswer =
  | { kind: "answer"; usage: TokenCounts }
  | { kind: "error"; error: unknown }
  | { kind: "broken" };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member without which an answer is none. */
const LIST: Record<PassedProtocol, string> = {
  "openai-chat": "choices",
  "openai-responses": "output",
  "openai-embeddings": "data",
  "anthropic-messages": "content",
};

/** Reads a provider's answer that came with a good status. */
export function readWholeAnswer(protocol: PassedProtocol, bytes: Uint8Array): WholeAnswer {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { kind: "broken" };
  }
  if (!isObject(body)) return { kind: "broken" };
  if (Array.isArray(body[LIST[protocol]])) return { kind: "answer", usage: usageOfBody(protocol, body) };
  return body.error ? { kind: "error", error: body.error } : { kind: "broken" };
}
