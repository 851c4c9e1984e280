import type { LanguageModelV3FinishReason, LanguageModelV3Usage } from "@ai-sdk/provider";
import { SilenceClock } from "~/core/clock.server";
import { isHighSurrogate, wellFormedValue } from "~/core/well-formed";
import { countedUsage } from "./counted-usage";
import { type CallTarget, explainProviderError } from "./explain-provider-error.server";
import { type ChatModel, type ChatModelCall, type ChatModelPart, CUT, UNKNOWN_USAGE } from "./language-model";
import { WITHOUT_CONTENT } from "./provider-client.service.server";
import { isAbort, ProviderDisconnected, ProviderTimeout } from "./provider-errors.server";

const DELTA_OF_END = {
  "text-end": "text-delta",
  "reasoning-end": "reasoning-delta",
  "tool-input-end": "tool-input-delta",
} as const;

class WellFormedParts {
  readonly #waiting = new Map<string, string>();

  take(part: ChatModelPart): ChatModelPart[] {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
      case "tool-input-delta": {
        const text = (this.#waiting.get(part.id) ?? "") + part.delta;
        const isCut = isHighSurrogate(text.charCodeAt(text.length - 1));
        if (isCut) this.#waiting.set(part.id, text.slice(-1));
        else this.#waiting.delete(part.id);
        const delta = isCut ? text.slice(0, -1) : text;
        return delta === "" && isCut ? [] : [wellFormedValue({ ...part, delta })];
      }
      case "text-end":
      case "reasoning-end":
      case "tool-input-end": {
        const end = wellFormedValue(part);
        const isLeft = this.#waiting.delete(part.id);
        return isLeft ? [{ type: DELTA_OF_END[part.type], id: end.id, delta: "\ufffd" }, end] : [end];
      }
      default:
        return [wellFormedValue(part)];
    }
  }
}

/** Adapters begin with "other" or "error" and set the real reason later. */
const isIncomplete = ({ raw, unified }: LanguageModelV3FinishReason) =>
  raw === undefined && (unified === "other" || unified === "error");

/** Of an answer itself, unlike thoughts. */
const ANSWER_PARTS = new Set<ChatModelPart["type"]>([
  "text-delta",
  "tool-input-start",
  "tool-input-delta",
  "tool-call",
  "file",
]);

/** Reads a stream to its proper end. It reads by hand, since a failing pipe drops queued parts. */
export class PartReader {
  readonly #reader: ReadableStreamDefaultReader<ChatModelPart>;
  readonly #parts = new WellFormedParts();
  #ready: ChatModelPart[] = [];
  #isComplete = false;
  readonly #contentClock: SilenceClock | undefined;
  #timeout: ProviderTimeout | undefined;

  /** Bytes of the answer that were read. */
  received = 0;

  /**
   * @param call of which it is the answer
   * @param takesCut whether an answer that may be cut off counts as complete, as in the chat, which says so
   * @param betweenBytesMs how long it may keep silent; it may think for `WITHOUT_CONTENT` times as long
   */
  constructor(
    source: ReadableStream<ChatModelPart>,
    private readonly call: Pick<ChatModelCall, "prompt" | "tools">,
    private readonly takesCut = false,
    betweenBytesMs?: number,
  ) {
    this.#reader = source.getReader();
    if (betweenBytesMs !== undefined) this.#contentClock = this.#clockOf(WITHOUT_CONTENT * betweenBytesMs);
  }

  #clockOf(ms: number): SilenceClock {
    return new SilenceClock(ms, () => {
      this.#timeout = new ProviderTimeout(ms, true, true);
      // The read that waits then ends.
      this.#reader.cancel(this.#timeout).catch(() => undefined);
    });
  }

  async #next(): Promise<ChatModelPart | undefined> {
    this.#contentClock?.wait();
    const { done, value } = await this.#reader.read();
    if (this.#timeout) throw this.#timeout;
    if (done) {
      this.#contentClock?.stop();
      if (!this.#isComplete) throw new ProviderDisconnected();
      return undefined;
    }
    this.#contentClock?.pause();
    if (ANSWER_PARTS.has(value.type)) this.#contentClock?.restart();
    return value;
  }

  /** What the part of the answer that was read has used, counted from its length. */
  get usage(): LanguageModelV3Usage {
    return countedUsage(UNKNOWN_USAGE, this.call, this.received);
  }

  /** Undefined after a complete response. @throws the stream's error; ProviderDisconnected if it ended before */
  async read(): Promise<ChatModelPart | undefined> {
    let part = this.#ready.shift();
    while (!part) {
      const value = await this.#next();
      if (!value) return undefined;
      if (
        value.type === "text-delta" ||
        value.type === "reasoning-delta" ||
        value.type === "tool-input-delta"
      )
        this.received += Buffer.byteLength(value.delta);
      this.#ready = this.#parts.take(value);
      part = this.#ready.shift();
    }
    if (part.type === "error") throw part.error;
    if (part.type === "finish") {
      part = { ...part, usage: countedUsage(part.usage, this.call, this.received) };
      const isCut = part.finishReason.raw === CUT && !this.takesCut;
      if (isCut || isIncomplete(part.finishReason)) throw new ProviderDisconnected();
      this.#isComplete = true;
    }
    return part;
  }

  unread(parts: readonly ChatModelPart[]): void {
    this.#ready = [...parts, ...this.#ready];
  }

  cancel(reason?: unknown): Promise<void> {
    this.#contentClock?.stop();
    return this.#reader.cancel(reason);
  }
}

function wellFormedStream(
  source: ReadableStream<ChatModelPart>,
  call: ChatModelCall,
  betweenBytesMs: number | undefined,
): ReadableStream<ChatModelPart> {
  const reader = new PartReader(source, call, false, betweenBytesMs);
  return new ReadableStream<ChatModelPart>(
    {
      async pull(controller) {
        try {
          const part = await reader.read();
          if (part) controller.enqueue(part);
          else controller.close();
        } catch (error) {
          // A failed stream isn't canceled, but its source may still send.
          reader.cancel().catch(() => undefined);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** @param betweenBytesMs as for `PartReader` */
export function wellFormedModel(model: ChatModel, betweenBytesMs?: number): ChatModel {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (call) => {
      const result = wellFormedValue(await model.doGenerate(call));
      if (result.finishReason.raw === CUT) throw new ProviderDisconnected();
      const output = Buffer.byteLength(JSON.stringify(result.content));
      return { ...result, usage: countedUsage(result.usage, call, output) };
    },
    doStream: async (call) => {
      const { stream, ...rest } = await model.doStream(call);
      return { ...rest, stream: wellFormedStream(stream, call, betweenBytesMs) };
    },
  };
}

export interface StreamEnd {
  outcome: "ok" | "stopped" | "error";
  error?: unknown;
}

interface StreamObserver {
  take(part: ChatModelPart): void;
  end(result: StreamEnd): void;
}

/** Ends a model's stream at its first error, with a readable message. */
export class ExplainedStream {
  #hasEnded = false;
  /** The finish part, which follows an error. */
  #last: ChatModelPart | undefined;

  constructor(
    private readonly reader: Pick<PartReader, "read" | "cancel">,
    private readonly target: CallTarget,
    private readonly observer: StreamObserver,
  ) {}

  /** Undefined at the end. @throws the reason of an abort */
  async read(): Promise<ChatModelPart | undefined> {
    if (this.#hasEnded) {
      const last = this.#last;
      this.#last = undefined;
      return last;
    }
    try {
      const part = await this.reader.read();
      if (part) this.observer.take(part);
      else this.#end({ outcome: "ok" });
      return part;
    } catch (error) {
      return this.#fail(error);
    }
  }

  cancel(): void {
    if (this.#hasEnded) return;
    this.#end({ outcome: "stopped" });
    this.#cancelReader();
  }

  #fail(error: unknown): ChatModelPart {
    this.#end({ outcome: "error", error });
    this.#cancelReader();
    if (isAbort(error)) throw error;
    const finishReason = { unified: "error", raw: undefined } as const;
    this.#last = { type: "finish", finishReason, usage: UNKNOWN_USAGE };
    return { type: "error", error: explainProviderError(error, this.target) };
  }

  #end(result: StreamEnd): void {
    this.#hasEnded = true;
    this.observer.end(result);
  }

  /** A stream that has failed rejects again. */
  #cancelReader(): void {
    this.reader.cancel().catch(() => undefined);
  }
}

/** What a model wrote for a tool: a null there is its own. */
const MODEL_VALUES: ReadonlySet<string> = new Set(["input", "args", "arguments"]);
/** Lists that the adapters require. */
const LISTS: ReadonlySet<string> = new Set(["choices"]);
const MAX_DEPTH = 32;

function dropNulls(value: unknown, depth = MAX_DEPTH): unknown {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => dropNulls(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (member === null) return LISTS.has(name) ? [[name, []]] : [];
      return [[name, MODEL_VALUES.has(name) ? member : dropNulls(member, depth - 1)]];
    }),
  );
}

/** Unreadable JSON stays as it is, for the adapter to reject. */
function dropNullsIn(json: string): string {
  if (!json.includes("null")) return json;
  try {
    // Half a surrogate pair must stay one: the next event has the other half.
    return JSON.stringify(dropNulls(JSON.parse(json)));
  } catch {
    return json;
  }
}

/** Bytes of a line without its end, from which on it passes unread. */
const MAX_LINE = 1024 * 1024;
const NEWLINE = 10;
const DATA = "data:";

class EventLines {
  #rest = Buffer.alloc(0);

  take(bytes: Uint8Array): Buffer {
    const all = Buffer.concat([this.#rest, bytes]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    const isTooLong = all.length - end > MAX_LINE;
    this.#rest = isTooLong ? Buffer.alloc(0) : all.subarray(end);
    const lines = all.subarray(0, end);
    const whole = lines.includes("null") ? this.#rewrite(lines) : lines;
    return isTooLong ? Buffer.concat([whole, all.subarray(end)]) : whole;
  }

  end(): Buffer {
    return this.#rest;
  }

  #rewrite(lines: Buffer): Buffer {
    const rewritten = lines
      .toString("utf8")
      .split("\n")
      .map((line) => {
        const data = line.startsWith(DATA) ? line.slice(DATA.length) : "";
        const without = dropNullsIn(data);
        return without === data ? line : `${DATA} ${without}`;
      });
    return Buffer.from(rewritten.join("\n"));
  }
}

function rewriteEvents(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const lines = new EventLines();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const bytes = done ? lines.end() : lines.take(value);
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) return controller.close();
          if (bytes.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Drops members that are null from a provider's responses. Providers write null for "none" where the adapters' schemas
 * allow a member to be absent only, and an adapter refuses the whole response for it.
 */
export function withoutNulls(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, status, statusText, headers } = response;
    if (!response.ok || !body) return response;
    const head = { status, statusText, headers };
    const type = headers.get("content-type") ?? "";
    if (/^text\/event-stream\b/i.test(type)) return new Response(rewriteEvents(body), head);
    if (/^application\/([\w.-]+\+)?json\b/i.test(type)) {
      return new Response(dropNullsIn(await response.text()), head);
    }
    return response;
  };
}
