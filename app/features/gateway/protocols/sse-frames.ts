const LF = 10;
const CR = 13;
/** No provider's frame is anywhere near: the largest holds a whole answer. In bytes. */
const LARGEST_FRAME = 4_000_000;

/** An upstream that sends no end of a frame. */
export class FrameTooLarge extends Error {
  constructor() {
    super(`A frame of the stream is larger than ${LARGEST_FRAME / 1e6} MB.`);
    this.name = "FrameTooLarge";
  }
}

/**
 * Cuts a stream of bytes into server-sent events, each with the empty line that ends it, wherever the network cut it.
 * Nothing is decoded and nothing changed: the frames in a row are the bytes that came. A frame that came in one piece
 * is a view of that piece (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream;
 * lines that end in a lone CR are not looked for, since no provider sends them).
 */
export class FrameSplitter {
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The last two bytes that came before this piece. */
  #last = 0;
  #beforeLast = 0;

  /** @throws FrameTooLarge */
  push(piece: Uint8Array): Buffer[] {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const frames: Buffer[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
      const before = at > 0 ? chunk[at - 1] : this.#last;
      const two = at > 1 ? chunk[at - 2] : at === 1 ? this.#last : this.#beforeLast;
      if (before === LF || (before === CR && two === LF)) {
        frames.push(this.#take(chunk.subarray(start, at + 1)));
        start = at + 1;
      }
    }
    this.#keep(chunk, start);
    return frames;
  }

  /** Whether everything so far belonged to whole frames. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** What came after the last whole frame; to be asked for when the stream has ended. */
  rest(): Buffer {
    return this.#take(Buffer.alloc(0));
  }

  #take(end: Buffer): Buffer {
    if (this.#waitingBytes + end.length > LARGEST_FRAME) throw new FrameTooLarge();
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
    if (this.#waitingBytes > LARGEST_FRAME) throw new FrameTooLarge();
  }
}

/** The event's name; empty where it has none. */
export function eventOf(frame: Buffer): string {
  if (frame.indexOf("event:", 0, "latin1") !== 0) return "";
  const end = frame.indexOf(LF);
  return frame.toString("latin1", 6, end === -1 ? frame.length : end).trim();
}

/** The event's data; empty for a comment or a heartbeat. */
export function dataOf(frame: Buffer): string {
  if (frame.indexOf("data:") === -1) return "";
  return frame
    .toString("utf8")
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(line[5] === " " ? 6 : 5))
    .join("\n");
}
