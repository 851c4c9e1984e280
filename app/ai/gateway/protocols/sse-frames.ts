import { createParser } from "eventsource-parser";

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

const EMPTY_LINE = /(?<=\n\r?\n)/;

/** Cuts a stream into frames, so that each is passed on or held back with every byte. */
export class FrameReader {
  /** Bytes of an unfinished frame, as latin1, which keeps them all. */
  #waiting = "";
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
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1");
    const frames = (this.#waiting + text).split(EMPTY_LINE);
    const last = frames.at(-1) ?? "";
    this.#waiting = /\n\r?\n$/.test(last) ? "" : (frames.pop() ?? "");
    if ([this.#waiting, ...frames].some(({ length }) => length > MAX_FRAME_BYTES)) throw new FrameTooLarge();
    return frames.map((frame) => this.#read(frame));
  }

  /** Whether all bytes belonged to whole frames. */
  get isEmpty(): boolean {
    return this.#waiting === "";
  }

  /** What follows the last whole frame, once the stream has ended. */
  rest(): Frame | undefined {
    const rest = this.#waiting;
    this.#waiting = "";
    return rest === "" ? undefined : this.#read(rest, "\n\n");
  }

  #read(frame: string, end = ""): Frame {
    const bytes = Buffer.from(frame, "latin1");
    this.#event = "";
    this.#data = "";
    this.#parser.feed(bytes.toString("utf8") + end);
    return { bytes, event: this.#event, data: this.#data };
  }
}
