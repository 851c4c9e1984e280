import { z } from "zod";
import { checkContent, parseRequest } from "./content";
import { bounded, MAX_MESSAGES, ModelId, refuse } from "./content.schema";
import { openAiErrors } from "./errors";
import { type CheckedRequest, type Protocol, toChecked } from "./protocol";
import { classifyNamedFrame, type FrameKind } from "./sse-frames";
import { ToolParameters } from "./tool-schema.schema";
import { countOpenAiTokens } from "./wire-usage";

/** The provider validates unusual limits. */
const MaxOutput = z.int().positive().max(10_000_000).optional().catch(undefined);

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
  checkContent(textsIn([request.input, request.instructions]));
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
  kind: "chat",
  check,
  resultMember: "output",
  countTokens: countOpenAiTokens,
  errors: openAiErrors,
  passedHeaders: [],
  stream: { classify: (frame) => classifyNamedFrame(frame, FRAMES) },
};

/** Function names; the provider validates its own tools. */
const Tool = z
  .looseObject({ type: z.string().max(64), parameters: z.unknown().optional() })
  .superRefine((tool, context) => {
    if (tool.type !== "function" || tool.parameters === undefined || tool.parameters === null) return;
    const first = ToolParameters.safeParse(tool.parameters).error?.issues[0];
    if (!first) return;
    refuse(context, ["parameters", ...first.path], first.message);
  });

/** OpenAI's Responses API is only passed through: this covers routing and early refusals. */
export const ResponsesRequest = z.looseObject(
  {
    model: ModelId,
    stream: z.boolean().nullish(),
    input: z
      .union(
        [z.string(), bounded(z.looseObject({}), MAX_MESSAGES, "items")],
        "The input must be a string or an array of items.",
      )
      .optional(),
    instructions: z.string().nullish(),
    tools: z.array(Tool).nullish(),
  },
  "The request must be a JSON object.",
);
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
