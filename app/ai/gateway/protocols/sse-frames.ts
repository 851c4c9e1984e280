import { createParser } from "eventsource-parser";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { type Member, scanMembers } from "~/core/parse";

/** In bytes; the largest real frame holds a whole response. */
const MAX_FRAME_BYTES = 4_000_000;

/** Thrown when the upstream doesn't end a frame within the limit. */
export class FrameTooLarge extends Error {
  constructor() {
    super(`A frame of the stream is larger than ${MAX_FRAME_BYTES / 1e6} MB.`);
    this.name = "FrameTooLarge";
  }
}

/** A server-sent event with its bytes as they came. A comment or heartbeat has no data. */
export interface Frame {
  bytes: Buffer;
  event: string;
  data: string;
}

const EMPTY_LINE = /\n\r?\n/g;
/** Characters of an empty line that may have come before its last one. */
const CUT = 2;

/** Cuts a stream into frames, so that each is passed on or held back with every byte. */
export class FrameReader {
  /** An unfinished frame, of which only the end is looked at again. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #tail = "";
  #event = "";
  #data = "";
  readonly #parser = createParser({
    onEvent: ({ event = "", data }) => {
      this.#event = event.trim();
      this.#data = data;
    },
  });

  /** @throws FrameTooLarge */
  push(piece: Uint8Array): Frame[] {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const text = this.#tail + bytes.toString("latin1");
    const before = this.#tail.length;
    const frames: Frame[] = [];
    let start = 0;
    for (const { 0: line, index } of text.matchAll(EMPTY_LINE)) {
      const end = index + line.length - before;
      this.#keep(bytes.subarray(start, end));
      frames.push(this.#read(this.#take()));
      start = end;
    }
    this.#keep(bytes.subarray(start));
    this.#tail = text.slice(Math.max(text.length - CUT, start === 0 ? 0 : before + start));
    return frames;
  }

  /** Whether all bytes belonged to whole frames. */
  get isEmpty(): boolean {
    return this.#waitingBytes === 0;
  }

  /** What follows the last whole frame, once the stream has ended. */
  rest(): Frame | undefined {
    return this.isEmpty ? undefined : this.#read(this.#take(), "\n\n");
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#waiting.push(part);
    this.#waitingBytes += part.length;
    if (this.#waitingBytes > MAX_FRAME_BYTES) throw new FrameTooLarge();
  }

  #take(): Buffer {
    const [first] = this.#waiting;
    const frame = first && this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return frame;
  }

  #read(bytes: Buffer, end = ""): Frame {
    this.#event = "";
    this.#data = "";
    this.#parser.feed(bytes.toString("utf8") + end);
    return { bytes, event: this.#event, data: this.#data };
  }
}

/**
 * A frame's role: before the response (`preamble`), a token, one of a `thought`, another part (`rest`), only usage, the end, an error, or
 * unreadable (`broken`).
 */
export type FrameKind = "preamble" | "token" | "thought" | "rest" | "usage" | "end" | "error" | "broken";

/** A frame with its data parsed; undefined if that isn't JSON. */
export interface ReadFrame extends Omit<Frame, "bytes"> {
  json: unknown;
}

const NULL_USAGE = /"usage"\s*:\s*null/;

/** Undefined beyond the bounds of `scanMembers`, which are for callers' bodies: the frame isn't the caller's fault. */
function membersOf(data: string): Member[] | undefined {
  try {
    return scanMembers(data);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/**
 * The frame without the null that the console's own request for usage adds to each; all other bytes stay. One of too many
 * members stays whole, as the null harms nobody.
 */
export function withoutNullUsage({ bytes, data }: Frame): Buffer {
  if (!NULL_USAGE.test(data) || data.includes("\n")) return bytes;
  const usage = membersOf(data)?.find(({ key }) => key === "usage");
  if (!usage || data.slice(usage.start, usage.end).trim() !== "null") return bytes;
  const before = data.slice(0, data.lastIndexOf('"usage"', usage.start));
  const after = data.slice(usage.end);
  const isLater = /,\s*$/.test(before);
  const rest = isLater ? before.replace(/,\s*$/, "") + after : before + after.replace(/^\s*,\s*/, "");
  return Buffer.from(bytes.toString("utf8").replace(data, () => rest));
}

const ChatFrame = z.object({
  error: z.unknown().optional(),
  usage: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        delta: z.record(z.string(), z.unknown()).nullish(),
        finish_reason: z.unknown().optional(),
      }),
    )
    .nullish(),
});

const NO_TOKEN = new Set(["role"]);
/** As compatible servers call them. */
const THOUGHTS = new Set(["reasoning", "reasoning_content", "reasoning_details", "thinking"]);
const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

export function classifyChatFrame({ data, json }: ReadFrame): FrameKind {
  if (data === "") return "preamble";
  if (data.trim() === "[DONE]") return "end";
  const parsed = ChatFrame.safeParse(json);
  if (!parsed.success) return "broken";
  const { error, choices, usage } = parsed.data;
  if (!isEmpty(error)) return "error";
  if (!choices || choices.length === 0) return isEmpty(usage) ? "preamble" : "usage";
  const deltas = choices.flatMap((choice) => Object.entries(choice.delta ?? {}));
  const tokens = deltas.filter(([name, value]) => !NO_TOKEN.has(name) && !isEmpty(value));
  if (tokens.length > 0) return tokens.every(([name]) => THOUGHTS.has(name)) ? "thought" : "token";
  return choices.some((choice) => !isEmpty(choice.finish_reason)) ? "rest" : "preamble";
}

/** Not every compatible server sends [DONE]. */
export function endsChat({ json }: ReadFrame): boolean {
  const choices = ChatFrame.safeParse(json).data?.choices ?? [];
  return choices.some((choice) => !isEmpty(choice.finish_reason));
}

/** A frame that names its event, as both protocols with named frames do. */
export const eventFrame = <E extends { type: string }>(event: E): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const Typed = z.object({
  type: z.string(),
  delta: z.object({ type: z.string() }).optional().catch(undefined),
});

/** Both protocols name every frame, as event or in the data. */
export function classifyNamedFrame(
  { event, data, json }: ReadFrame,
  kinds: Record<string, FrameKind>,
): FrameKind {
  if (data === "") return "preamble";
  if (data.trim() === "[DONE]") return "end";
  if (json === undefined) return "broken";
  const typed = Typed.safeParse(json).data;
  const name = event || typed?.type;
  if (name === undefined) return "broken";
  const kind = kinds[name] ?? (name.endsWith(".delta") ? "token" : "rest");
  const isThought =
    name.startsWith("response.reasoning_") || /^(?:thinking|signature)_/.test(typed?.delta?.type ?? "");
  return kind === "token" && isThought ? "thought" : kind;
}
