import { z } from "zod";
import { newId } from "~/core/ids.server";
import { responsesErrors, type StreamProgress } from "./errors";
import { type ResponsesEvent, ResponsesEvents } from "./openai-responses.events";
import { parseResponsesRequest, responsesToCall } from "./openai-responses.request";
import { type ResponsesMeta, toResponsesBody } from "./openai-responses.response";
import { type ResponsesRequest, ResponsesSettings } from "./openai-responses.schema";
import { type CheckedRequest, type Protocol, type Translation, toChecked } from "./protocol";
import { classifyNamedFrame, eventFrame, type FrameKind, type ReadFrame } from "./sse-frames";
import { countOpenAiTokens } from "./wire-usage";

/** The provider validates unusual limits. */
const MaxOutput = z.int().positive().max(10_000_000).optional().catch(undefined);

function check(body: unknown): CheckedRequest {
  const request = parseResponsesRequest(body);
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

const Progress = z
  .object({
    response: z.looseObject({}).optional().catch(undefined),
    sequence_number: z.number().optional().catch(undefined),
  })
  .catch({});

function progressOf({ json }: ReadFrame): StreamProgress {
  const { response, sequence_number: sequence } = Progress.parse(json);
  return { ...(response && { response }), ...(sequence !== undefined && { sequence }) };
}

const metaOf = ({ envelope, request }: CheckedRequest): ResponsesMeta => ({
  id: newId("resp"),
  created: Math.floor(Date.now() / 1000),
  model: envelope.model,
  // The call was translated, so they are valid.
  settings: ResponsesSettings.parse(request),
});

const translation: Translation = {
  toCall: (request, supported) => responsesToCall(request as ResponsesRequest, supported),
  members: { responseFormat: "text.format" },
  stream(checked) {
    const events = new ResponsesEvents(metaOf(checked));
    const frames = (made: readonly ResponsesEvent[]) => made.map((event) => eventFrame(event)).join("");
    return {
      take: (part) => frames(events.take(part)),
      keep(packed) {
        events.keep(packed);
        return "";
      },
      end: () => "",
      progress: () => events.progress,
    };
  },
  toResponse: (checked, result, packed) => toResponsesBody(result, metaOf(checked), packed),
};

export const openAiResponses: Protocol = {
  kind: "chat",
  check,
  resultMember: "output",
  countTokens: countOpenAiTokens,
  errors: responsesErrors,
  passedHeaders: [],
  stream: { classify: (frame) => classifyNamedFrame(frame, FRAMES), progressOf },
  translation,
};
