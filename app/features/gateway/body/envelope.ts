import { z } from "zod";
import { parseMessagesRequest } from "../protocols/anthropic-messages.request";
import { checkContent } from "../protocols/content-limits";
import { parseChatRequest } from "../protocols/openai-chat.request";
import { EmbeddingsRequest } from "../protocols/openai-embeddings.schema";
import { ResponsesRequest } from "../protocols/openai-responses.schema";
import { parseRequest } from "../protocols/parse-request";
import type { PassedProtocol } from "../protocols/wire-usage";

/** What the gateway needs to know of a request, independent of its protocol. */
export interface Envelope {
  model: string;
  stream: boolean;
  /** Members to set on the way to a provider that speaks the caller's protocol, as JSON. */
  changes: Record<string, string>;
  /** Whether the caller asked for the usage frame, which the gateway always requests. */
  showsUsage: boolean;
  /** Whether the caller reads vectors as base64: the official clients ask for it, and not every provider listens. */
  inBase64: boolean;
  /** The most tokens of the answer, where the caller limits them. */
  maxOutput?: number | undefined;
}

/** A request that has been checked. */
interface Checked {
  envelope: Envelope;
  request: unknown;
}

/** Passed through unchecked: what isn't a sensible limit is the provider's to refuse. */
const MaxOutput = z.int().positive().max(10_000_000).optional().catch(undefined);

/** Every text somewhere in a value, but for embedded files. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (!value.startsWith("data:")) yield value;
  } else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) yield* textsIn(item);
  }
}

function checkChat(body: unknown): Checked {
  const request = parseChatRequest(body);
  const stream = request.stream === true;
  const showsUsage = request.stream_options?.include_usage === true;
  const options = { ...request.stream_options, include_usage: true };
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  return {
    request,
    envelope: {
      model: request.model,
      stream,
      showsUsage,
      inBase64: false,
      maxOutput: limit && limit * (request.n ?? 1),
      changes: stream && !showsUsage ? { stream_options: JSON.stringify(options) } : {},
    },
  };
}

function checkResponses(body: unknown): Checked {
  const request = parseRequest(ResponsesRequest, body);
  checkContent({ texts: textsIn([request.input, request.instructions]), images: 0 });
  const { model, stream } = request;
  const limit = MaxOutput.parse(request.max_output_tokens);
  return {
    request,
    envelope: {
      model,
      stream: stream === true,
      showsUsage: true,
      inBase64: false,
      maxOutput: limit,
      changes: {},
    },
  };
}

function checkEmbeddings(body: unknown): Checked {
  const request = parseRequest(EmbeddingsRequest, body);
  const inBase64 = request.encoding_format === "base64";
  return {
    request,
    envelope: { model: request.model, stream: false, showsUsage: true, inBase64, changes: {} },
  };
}

function checkMessages(body: unknown): Checked {
  const request = parseMessagesRequest(body);
  const { model, stream, max_tokens: maxOutput } = request;
  return {
    request,
    envelope: { model, stream: stream === true, showsUsage: true, inBase64: false, maxOutput, changes: {} },
  };
}

const CHECKS: Record<PassedProtocol, (body: unknown) => Checked> = {
  "openai-chat": checkChat,
  "openai-responses": checkResponses,
  "openai-embeddings": checkEmbeddings,
  "anthropic-messages": checkMessages,
};

/**
 * Checks what every provider would stumble over and reads what the gateway needs.
 *
 * @throws AppError `invalid` whose `fields` name the place, `too_large`
 */
export function checkRequest(protocol: PassedProtocol, body: unknown): Checked {
  return CHECKS[protocol](body);
}
