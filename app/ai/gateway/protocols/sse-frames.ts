const LF = 10;
const CR = 13;
/** In bytes; the largest real frame holds a whole response. */
const MAX_FRAME_BYTES = 4_000_000;

/** Thrown when the upstream doesn't end a frame within the limit. */
export class FrameTooLarge extends Error {
  constructor() {
    super(`A frame of the stream is larger than ${MAX_FRAME_BYTES / 1e6} MB.`);
    this.name = "FrameTooLarge";
  }
}

/**
 * Splits bytes into server-sent events without decoding or changing them. A frame that arrived whole is a view of its
 * piece (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). No provider ends
 * lines with a lone CR.
 */
export class FrameSplitter {
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The last two bytes before this piece. */
  #last = 0;
  #beforeLast = 0;

  push(piece: Uint8Array): Buffer[] {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const frames: Buffer[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
      const before = at > 0 ? chunk[at - 1] : this.#last;
      const secondBefore = at > 1 ? chunk[at - 2] : at === 1 ? this.#last : this.#beforeLast;
      if (before === LF || (before === CR && secondBefore === LF)) {
        frames.push(this.#take(chunk.subarray(start, at + 1)));
        start = at + 1;
      }
    }
    this.#keep(chunk, start);
    return frames;
  }

  /** Whether all bytes belonged to whole frames. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Bytes after the last whole frame, once the stream has ended. */
  rest(): Buffer {
    return this.#take(Buffer.alloc(0));
  }

  #take(end: Buffer): Buffer {
    if (this.#waitingBytes + end.length > MAX_FRAME_BYTES) throw new FrameTooLarge();
    if (this.#waiting.length === 0) return end;
    const frame = Buffer.concat([...this.#waiting, end]);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return frame;
  }

  #keep(chunk: Buffer, start: number): void {
    const { length } = chunk;
    if (length === 0) return;
    this.#beforeLast = (length > 1 ? chunk[length - 2] : this.#last) ?? 0;
    this.#last = chunk[length - 1] ?? 0;
    if (start === length) return;
    this.#waiting.push(chunk.subarray(start));
    this.#waitingBytes += length - start;
    if (this.#waitingBytes > MAX_FRAME_BYTES) throw new FrameTooLarge();
  }
}

export function eventOf(frame: Buffer): string {
  if (frame.indexOf("event:", 0, "latin1") !== 0) return "";
  const end = frame.indexOf(LF);
  return frame.toString("latin1", 6, end === -1 ? frame.length : end).trim();
}

/** Empty for a comment or heartbeat. */
export function dataOf(frame: Buffer): string {
  if (frame.indexOf("data:") === -1) return "";
  return frame
    .toString("utf8")
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(line[5] === " " ? 6 : 5))
    .join("\n");
}
