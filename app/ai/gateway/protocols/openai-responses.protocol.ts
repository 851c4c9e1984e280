import { z } from "zod";
import { checkContent } from "./content-limits";
import { openAiErrors } from "./errors";
import { classifyNamedFrame, type FrameKind } from "./frame-kinds";
import { ResponsesRequest } from "./openai-responses.schema";
import { parseRequest } from "./parse-request";
import { type CheckedRequest, type Protocol, toChecked } from "./protocol";
import { countOpenAiTokens } from "./wire-usage";

/** The provider validates unusual limits. */
const MaxOutput = z.int().positive().max(10_000_000).optional().catch(undefined);

/** All texts in a value except embedded files. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") {
    if (!value.startsWith("data:")) yield value;
  } else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) yield* textsIn(item);
  }
}

function check(body: unknown): CheckedRequest {
  const request = parseRequest(ResponsesRequest, body);
  checkContent({ texts: textsIn([request.input, request.instructions]), images: 0 });
  return toChecked(request, { maxOutput: MaxOutput.parse(request.max_output_tokens) });
}

const FRAMES: Record<string, FrameKind> = {
  "response.created": "preamble",
  "response.queued": "preamble",
  "response.in_progress": "preamble",
  "response.output_item.added": "preamble",
  "response.content_part.added": "preamble",
  "response.reasoning_summary_part.added": "preamble",
  "response.completed": "end",
  "response.incomplete": "end",
  "response.failed": "error",
  error: "error",
};

export const openAiResponses: Protocol = {
  path: "/v1/responses",
  kind: "chat",
  check,
  resultMember: "output",
  countTokens: countOpenAiTokens,
  errors: openAiErrors,
  passedHeaders: [],
  stream: { classify: (frame) => classifyNamedFrame(frame, FRAMES) },
};
