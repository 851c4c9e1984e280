import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import { parseToolArguments } from "./prompt";

export type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal";

export interface MessageUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number | null;
  cache_creation_input_tokens: number | null;
  cache_creation: null;
  inference_geo: null;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use: null;
  service_tier: null;
  speed: null;
}

export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; caller: { type: "direct" } };

export interface Message {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: ContentBlock[];
  stop_reason: StopReason | null;
  stop_sequence: null;
  stop_details: null;
  container: null;
  diagnostics: null;
  usage: MessageUsage;
}

export interface MessageMeta {
  id: string;
  model: string;
}

const STOP: Record<LanguageModelV3FinishReason["unified"], StopReason> = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
  error: "end_turn",
  other: "end_turn",
};

/** Some models end tool calls with another reason. */
export function stopReasonOf(reason: LanguageModelV3FinishReason, callsTools: boolean): StopReason {
  const stop = STOP[reason.unified];
  if (stop !== "end_turn") return stop;
  if (callsTools) return "tool_use";
  return reason.raw === "stop_sequence" ? "stop_sequence" : stop;
}

/** The protocol requires both counts, so unknown is 0; OpenAI's omits them. Cached input is separate. */
export function toMessageUsage(usage: LanguageModelV3Usage | undefined): MessageUsage {
  const { total, noCache, cacheRead, cacheWrite } = usage?.inputTokens ?? {};
  const { total: output, reasoning } = usage?.outputTokens ?? {};
  return {
    input_tokens: noCache ?? Math.max(0, (total ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output_tokens: output ?? 0,
    cache_read_input_tokens: cacheRead ?? null,
    cache_creation_input_tokens: cacheWrite ?? null,
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: reasoning === undefined ? null : { thinking_tokens: reasoning },
    server_tool_use: null,
    service_tier: null,
    speed: null,
  };
}

export function emptyMessage({ id, model }: MessageMeta): Message {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: toMessageUsage(undefined),
  };
}

/** A non-streaming response. */
export function toMessage(result: LanguageModelV3GenerateResult, meta: MessageMeta): Message {
  const content = result.content.flatMap((part): ContentBlock[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    if (part.type === "reasoning") return [{ type: "thinking", thinking: part.text, signature: "" }];
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId: id, toolName: name, input } = part;
    return [{ type: "tool_use", id, name, input: parseToolArguments(input), caller: { type: "direct" } }];
  });
  const callsTools = content.some((block) => block.type === "tool_use");
  return {
    ...emptyMessage(meta),
    content,
    stop_reason: stopReasonOf(result.finishReason, callsTools),
    usage: toMessageUsage(result.usage),
  };
}
