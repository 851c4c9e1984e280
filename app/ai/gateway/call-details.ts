import type { CallDetails } from "~/core/telemetry.server";

type Json = Readonly<Record<string, unknown>>;

const asObject = (value: unknown): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
/** A provider's text, bounded. */
const asText = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
const asNumber = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** What a trace says of a request: the names of its settings are the same in all protocols but for the output limit. */
export function requestDetails(request: unknown, isStream: boolean): CallDetails {
  const body = asObject(request) ?? {};
  const { max_tokens, max_completion_tokens, max_output_tokens } = body;
  return {
    isStream,
    maxTokens: asNumber(max_completion_tokens ?? max_tokens ?? max_output_tokens),
    temperature: asNumber(body.temperature),
    topP: asNumber(body.top_p),
    topK: asNumber(body.top_k),
    frequencyPenalty: asNumber(body.frequency_penalty),
    presencePenalty: asNumber(body.presence_penalty),
    seed: asNumber(body.seed),
  };
}

const MAX_REASONS = 16;

function finishReasons(body: Json): string[] {
  const choices = Array.isArray(body.choices) ? body.choices.slice(0, MAX_REASONS) : [];
  const reasons = choices.map((choice) => asText(asObject(choice)?.finish_reason));
  const incomplete = asText(asObject(body.incomplete_details)?.reason);
  // A response of OpenAI's protocol that runs has a status too.
  const status =
    body.object === "response" && body.status !== "in_progress" ? asText(body.status) : undefined;
  const own = asText(body.stop_reason) ?? incomplete ?? status;
  return [...reasons, own].filter((reason) => reason !== undefined);
}

/**
 * Adds what a body or a frame in one of the protocols says of its response.
 * @returns the same object where it says nothing new
 */
export function responseDetails(known: CallDetails, json: unknown): CallDetails {
  const frame = asObject(json);
  if (!frame) return known;
  const body = asObject(frame.message) ?? asObject(frame.response) ?? frame;
  const reasons = finishReasons(asObject(frame.delta) ?? body);
  const isNamed = known.responseId !== undefined || known.responseModel !== undefined;
  if (isNamed && reasons.length === 0) return known;
  const responseId = known.responseId ?? asText(body.id);
  const responseModel = known.responseModel ?? asText(body.model);
  if (reasons.length === 0 && responseId === undefined && responseModel === undefined) return known;
  return {
    responseId,
    responseModel,
    finishReasons: [...(known.finishReasons ?? []), ...reasons].slice(-MAX_REASONS),
  };
}
