import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { IMAGE_LEFT_OUT, imagesIn } from "~/ai/models/beside-text.schema";
import { AppError } from "~/core/errors";

/** A piece of a response that protocols begin, fill and end: a text, thoughts or a tool call. */
export interface Block {
  kind: "text" | "thinking" | "tool_use";
  /** The call's; empty otherwise. */
  id: string;
  name: string;
}

/** A protocol's events of a block. */
export interface BlockEvents<E> {
  start(block: Block): E[];
  add(block: Block, text: string): E[];
  stop(block: Block): E[];
}

interface QueuedBlock extends Block {
  /** Parts that arrived while another block was open. */
  waiting: string;
  filled: boolean;
  /** False: its input is sent whole at the end. */
  streams: boolean;
  done: boolean;
}

/** Characters that wait behind an open block, and of a whole response where its end repeats it. */
export const MAX_LENGTH = 32 * 1024 * 1024;

export const tooLong = () =>
  new AppError("provider_unavailable", "The response is longer than 32 MB, so it was stopped.");

const newBlock = (kind: Block["kind"], id = "", name = "", streams = true): QueuedBlock => ({
  kind,
  id,
  name,
  waiting: "",
  filled: false,
  streams,
  done: false,
});

/**
 * Puts a stream's parts in order: clients expect one open block, while models interleave tool calls. Parts of later
 * blocks are queued. `error` and `finish` parts are the caller's.
 */
export class BlockQueue<E> {
  /** The first is open; the others wait. */
  #blocks: QueuedBlock[] = [];
  readonly #calls = new Map<string, QueuedBlock>();
  #waitingLength = 0;

  constructor(private readonly events: BlockEvents<E>) {}

  /** Characters that wait. */
  get waitingLength(): number {
    return this.#waitingLength;
  }

  get callsTools(): boolean {
    return this.#calls.size > 0;
  }

  /**
   * @returns events, of an image a note: blocks hold texts
   * @throws AppError `provider_unavailable` if too much waits
   */
  take(part: LanguageModelV3StreamPart): E[] {
    if (imagesIn(part).length > 0) return this.#flow("text", IMAGE_LEFT_OUT);
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
      default:
        return [];
    }
  }

  end(): E[] {
    for (const block of this.#blocks) block.done = true;
    return this.#proceed();
  }

  #flow(kind: Block["kind"], text: string): E[] {
    if (text === "") return [];
    const last = this.#blocks.at(-1);
    if (last?.kind === kind) return this.#add(last, text);
    const block = newBlock(kind);
    return [...this.#open(block), ...this.#add(block, text)];
  }

  #startCall(id: string, name: string, streams: boolean): E[] {
    const block = newBlock("tool_use", id, name, streams);
    this.#calls.set(id, block);
    return this.#open(block);
  }

  #wholeCall(id: string, name: string, input: string): E[] {
    const started = this.#calls.has(id) ? [] : this.#startCall(id, name, true);
    const block = this.#calls.get(id);
    if (!block || block.done) return started;
    const added = block.filled || input === "" ? [] : this.#add(block, input);
    block.done = true;
    return [...started, ...added, ...this.#proceed()];
  }

  /** A new block ends the text or thinking before it. */
  #open(block: QueuedBlock): E[] {
    const before = this.#blocks.at(-1);
    if (before && before.kind !== "tool_use") before.done = true;
    this.#blocks.push(block);
    return before ? this.#proceed() : this.events.start(block);
  }

  #add(block: QueuedBlock, text: string): E[] {
    if (text === "") return [];
    block.filled = true;
    if (this.#blocks[0] === block) return this.events.add(block, text);
    this.#waitingLength += text.length;
    if (this.#waitingLength > MAX_LENGTH) throw tooLong();
    block.waiting += text;
    return [];
  }

  #proceed(): E[] {
    const made: E[] = [];
    for (let block = this.#blocks[0]; block?.done; block = this.#blocks[0]) {
      this.#blocks.shift();
      made.push(...this.events.stop(block));
      const [next] = this.#blocks;
      if (!next) break;
      const { waiting } = next;
      next.waiting = "";
      this.#waitingLength -= waiting.length;
      made.push(...this.events.start(next), ...this.#add(next, waiting));
    }
    return made;
  }
}
