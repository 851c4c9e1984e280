import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import { IMAGE_LEFT_OUT, imagesIn } from "~/ai/models/beside-text.schema";
import { type Block, BlockQueue } from "./block-queue";
import { parseToolArguments } from "./prompt";

type FinishPart = Extract<LanguageModelV3StreamPart, { type: "finish" }>;

type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal";

export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; caller: { type: "direct" } };

interface MessageMeta {
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
function stopReasonOf(reason: LanguageModelV3FinishReason, callsTools: boolean): StopReason {
  const stop = STOP[reason.unified];
  if (stop !== "end_turn") return stop;
  if (callsTools) return "tool_use";
  return reason.raw === "stop_sequence" ? "stop_sequence" : stop;
}

/** The protocol requires both counts, so unknown is 0; OpenAI's omits them. Cached input is separate. */
function toMessageUsage(usage: LanguageModelV3Usage | undefined) {
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

export type Message = ReturnType<typeof emptyMessage>;

/** The sequence that ended the answer, where its provider says so. */
function stopSequenceOf(metadata: SharedV3ProviderMetadata | undefined): string | null {
  const stop = metadata?.anthropic?.stopSequence;
  return typeof stop === "string" ? stop : null;
}

function emptyMessage({ id, model }: MessageMeta) {
  return {
    id,
    type: "message" as const,
    role: "assistant" as const,
    model,
    content: [] as ContentBlock[],
    stop_reason: null as StopReason | null,
    stop_sequence: null as string | null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: toMessageUsage(undefined),
  };
}

export function toMessage(
  result: LanguageModelV3GenerateResult,
  meta: MessageMeta,
  packed?: string,
): Message {
  const parts = [...result.content, { type: "finish" as const, ...result }];
  const content = parts.flatMap((part): ContentBlock[] => {
    if (imagesIn(part).length > 0) return [{ type: "text", text: IMAGE_LEFT_OUT.trimStart() }];
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    if (part.type === "reasoning") return [{ type: "thinking", thinking: part.text, signature: "" }];
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId: id, toolName: name, input } = part;
    return [{ type: "tool_use", id, name, input: parseToolArguments(input), caller: { type: "direct" } }];
  });
  const callsTools = content.some((block) => block.type === "tool_use");
  return {
    ...emptyMessage(meta),
    content: packed === undefined ? content : [...content, { type: "redacted_thinking", data: packed }],
    stop_reason: stopReasonOf(result.finishReason, callsTools),
    stop_sequence: stopSequenceOf(result.providerMetadata),
    usage: toMessageUsage(result.usage),
  };
}

type Delta =
  | { type: "text_delta"; text: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "input_json_delta"; partial_json: string };

type EventData =
  | { type: "message_start"; message: Message }
  | { type: "content_block_start"; index: number; content_block: ContentBlock }
  | { type: "content_block_delta"; index: number; delta: Delta }
  | { type: "content_block_stop"; index: number }
  | {
      type: "message_delta";
      delta: { stop_reason: StopReason; stop_sequence: string | null; stop_details: null; container: null };
      usage: ReturnType<typeof toMessageUsage>;
    }
  | { type: "message_stop" }
  | { type: "ping" };

export interface MessageEvent {
  event: EventData["type"];
  data: EventData;
}

const event = (data: EventData): MessageEvent => ({ event: data.type, data });

const START: Record<Block["kind"], (block: Block) => ContentBlock> = {
  text: () => ({ type: "text", text: "" }),
  thinking: () => ({ type: "thinking", thinking: "", signature: "" }),
  tool_use: ({ id, name }) => ({ type: "tool_use", id, name, input: {}, caller: { type: "direct" } }),
};

const DELTA: Record<Block["kind"], (text: string) => Delta> = {
  text: (text) => ({ type: "text_delta", text }),
  thinking: (thinking) => ({ type: "thinking_delta", thinking }),
  tool_use: (partial_json) => ({ type: "input_json_delta", partial_json }),
};

/** Builds a stream's events. `error` parts are handled by the caller. */
export class MessageEvents {
  #begun = false;
  #index = 0;
  readonly #blocks = new BlockQueue<MessageEvent>({
    start: (block) => [...this.#begin(), this.#start(START[block.kind](block))],
    add: ({ kind }, text) => [
      event({ type: "content_block_delta", index: this.#index, delta: DELTA[kind](text) }),
    ],
    stop: () => [this.#stop()],
  });

  constructor(private readonly meta: MessageMeta) {}

  take(part: LanguageModelV3StreamPart): MessageEvent[] {
    return part.type === "finish" ? this.#finish(part) : this.#blocks.take(part);
  }

  /** A last block that clients hand back unread, as Anthropic's encrypted thoughts. */
  keep(packed: string): MessageEvent[] {
    const before = this.#end();
    return [...before, this.#start({ type: "redacted_thinking", data: packed }), this.#stop()];
  }

  #begin(): MessageEvent[] {
    if (this.#begun) return [];
    this.#begun = true;
    return [event({ type: "message_start", message: emptyMessage(this.meta) }), event({ type: "ping" })];
  }

  #start(content_block: ContentBlock): MessageEvent {
    return event({ type: "content_block_start", index: this.#index, content_block });
  }

  #stop(): MessageEvent {
    return event({ type: "content_block_stop", index: this.#index++ });
  }

  #end(): MessageEvent[] {
    return [...this.#begin(), ...this.#blocks.end()];
  }

  #finish(part: FinishPart): MessageEvent[] {
    const { finishReason, usage, providerMetadata } = part;
    return [
      ...this.#blocks.take(part),
      ...this.#end(),
      event({
        type: "message_delta",
        delta: {
          stop_reason: stopReasonOf(finishReason, this.#blocks.callsTools),
          stop_sequence: stopSequenceOf(providerMetadata),
          stop_details: null,
          container: null,
        },
        usage: toMessageUsage(usage),
      }),
      event({ type: "message_stop" }),
    ];
  }
}
