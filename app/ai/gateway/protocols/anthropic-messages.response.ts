import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import { parseToolArguments } from "./prompt";

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

function emptyMessage({ id, model }: MessageMeta) {
  return {
    id,
    type: "message" as const,
    role: "assistant" as const,
    model,
    content: [] as ContentBlock[],
    stop_reason: null as StopReason | null,
    stop_sequence: null,
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
    content: packed === undefined ? content : [...content, { type: "redacted_thinking", data: packed }],
    stop_reason: stopReasonOf(result.finishReason, callsTools),
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
      delta: { stop_reason: StopReason; stop_sequence: null; stop_details: null; container: null };
      usage: ReturnType<typeof toMessageUsage>;
    }
  | { type: "message_stop" }
  | { type: "ping" };

export interface MessageEvent {
  event: EventData["type"];
  data: EventData;
}

type Kind = "text" | "thinking" | "tool_use";

interface Block {
  kind: Kind;
  id: string;
  name: string;
  /** Parts that arrived while another block was open. */
  waiting: string;
  filled: boolean;
  /** False: its input is sent whole at the end. */
  streams: boolean;
  done: boolean;
}

const event = (data: EventData): MessageEvent => ({ event: data.type, data });

const START: Record<Kind, (block: Block) => ContentBlock> = {
  text: () => ({ type: "text", text: "" }),
  thinking: () => ({ type: "thinking", thinking: "", signature: "" }),
  tool_use: ({ id, name }) => ({ type: "tool_use", id, name, input: {}, caller: { type: "direct" } }),
};

const DELTA: Record<Kind, (text: string) => Delta> = {
  text: (text) => ({ type: "text_delta", text }),
  thinking: (thinking) => ({ type: "thinking_delta", thinking }),
  tool_use: (partial_json) => ({ type: "input_json_delta", partial_json }),
};

/**
 * Builds a stream's events. Only one block may be open, while models interleave tool calls: parts of later blocks are
 * queued. `error` parts are handled by the caller.
 */
export class MessageEvents {
  #begun = false;
  /** The first is open; the others wait. */
  #blocks: Block[] = [];
  #index = 0;
  readonly #calls = new Map<string, Block>();

  constructor(private readonly meta: MessageMeta) {}

  take(part: LanguageModelV3StreamPart): MessageEvent[] {
    switch (part.type) {
      case "text-delta":
        return this.#flow("text", part.delta);
      case "reasoning-delta":
        return this.#flow("thinking", part.delta);
      case "tool-input-start":
        return part.providerExecuted
          ? []
          : this.#startCall(part.id, part.toolName, part.inputEncoding !== "text");
      case "tool-input-delta": {
        const block = this.#calls.get(part.id);
        return block?.streams && !block.done ? this.#add(block, part.delta) : [];
      }
      case "tool-call":
        return part.providerExecuted ? [] : this.#wholeCall(part.toolCallId, part.toolName, part.input);
      case "finish":
        return this.#finish(part.finishReason, part.usage);
      default:
        return [];
    }
  }

  #begin(): MessageEvent[] {
    if (this.#begun) return [];
    this.#begun = true;
    return [event({ type: "message_start", message: emptyMessage(this.meta) }), event({ type: "ping" })];
  }

  #flow(kind: Kind, text: string): MessageEvent[] {
    if (text === "") return [];
    const last = this.#blocks.at(-1);
    if (last?.kind === kind) return this.#add(last, text);
    const block = { kind, id: "", name: "", waiting: "", filled: false, streams: true, done: false };
    return [...this.#open(block), ...this.#add(block, text)];
  }

  #startCall(id: string, name: string, streams: boolean): MessageEvent[] {
    const block: Block = { kind: "tool_use", id, name, waiting: "", filled: false, streams, done: false };
    this.#calls.set(id, block);
    return this.#open(block);
  }

  #wholeCall(id: string, name: string, input: string): MessageEvent[] {
    const started = this.#calls.has(id) ? [] : this.#startCall(id, name, true);
    const block = this.#calls.get(id);
    if (!block || block.done) return started;
    const inputEvents = block.filled || input === "" ? [] : this.#add(block, input);
    block.done = true;
    return [...started, ...inputEvents, ...this.#proceed()];
  }

  /** A new block ends the text or thinking before it. */
  #open(block: Block): MessageEvent[] {
    const before = this.#blocks.at(-1);
    if (before && before.kind !== "tool_use") before.done = true;
    this.#blocks.push(block);
    if (before) return this.#proceed();
    return [...this.#begin(), this.#start(block)];
  }

  #start(block: Block): MessageEvent {
    return event({
      type: "content_block_start",
      index: this.#index,
      content_block: START[block.kind](block),
    });
  }

  #add(block: Block, text: string): MessageEvent[] {
    if (text === "") return [];
    block.filled = true;
    if (this.#blocks[0] === block) {
      return [event({ type: "content_block_delta", index: this.#index, delta: DELTA[block.kind](text) })];
    }
    block.waiting += text;
    return [];
  }

  #proceed(): MessageEvent[] {
    const events: MessageEvent[] = [];
    while (this.#blocks[0]?.done) {
      this.#blocks.shift();
      events.push(event({ type: "content_block_stop", index: this.#index }));
      this.#index++;
      const [next] = this.#blocks;
      if (!next) break;
      const { waiting } = next;
      next.waiting = "";
      events.push(this.#start(next), ...this.#add(next, waiting));
    }
    return events;
  }

  /** A last block that clients hand back unread, as Anthropic's encrypted thoughts. */
  keep(packed: string): MessageEvent[] {
    const before = this.#end();
    const content_block = { type: "redacted_thinking" as const, data: packed };
    const block = [
      event({ type: "content_block_start", index: this.#index, content_block }),
      event({ type: "content_block_stop", index: this.#index }),
    ];
    this.#index++;
    return [...before, ...block];
  }

  #end(): MessageEvent[] {
    for (const block of this.#blocks) block.done = true;
    return [...this.#begin(), ...this.#proceed()];
  }

  #finish(reason: LanguageModelV3FinishReason, usage: LanguageModelV3Usage): MessageEvent[] {
    return [
      ...this.#end(),
      event({
        type: "message_delta",
        delta: {
          stop_reason: stopReasonOf(reason, this.#calls.size > 0),
          stop_sequence: null,
          stop_details: null,
          container: null,
        },
        usage: toMessageUsage(usage),
      }),
      event({ type: "message_stop" }),
    ];
  }
}
