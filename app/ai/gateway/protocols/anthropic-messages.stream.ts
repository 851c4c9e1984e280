import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import {
  type ContentBlock,
  emptyMessage,
  type Message,
  type MessageMeta,
  type MessageUsage,
  type StopReason,
  stopReasonOf,
  toMessageUsage,
} from "./anthropic-messages.response";

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
      usage: MessageUsage;
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
  readonly #meta: MessageMeta;
  #begun = false;
  /** The first is open; the others wait. */
  #blocks: Block[] = [];
  #index = 0;
  readonly #calls = new Map<string, Block>();

  constructor(meta: MessageMeta) {
    this.#meta = meta;
  }

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
    return [event({ type: "message_start", message: emptyMessage(this.#meta) }), event({ type: "ping" })];
  }

  /** Appends text or thinking to the last block, or opens one. */
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

  /** Sends a call's input unless it was streamed. */
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

  /** Closes finished blocks and opens waiting ones. */
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

  #finish(reason: LanguageModelV3FinishReason, usage: LanguageModelV3Usage): MessageEvent[] {
    for (const block of this.#blocks) block.done = true;
    return [
      ...this.#begin(),
      ...this.#proceed(),
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
