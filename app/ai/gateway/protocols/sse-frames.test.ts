import { describe, expect, it } from "vitest";
import { dataOf, eventOf, FrameSplitter, FrameTooLarge } from "./sse-frames";

const FRAMES = [
  'data: {"text":"Grüße 👋"}\n\n',
  ": a comment\n\n",
  "event: message\r\ndata: one\r\ndata: two\r\n\r\n",
  "data: mixed\r\n\n",
  "data:\n\r\n",
  `data: ${"ü".repeat(5000)}\n\n`,
  "data: [DONE]\n\n",
];

const split = (pieces: Uint8Array[]) => {
  const splitter = new FrameSplitter();
  const frames = pieces.flatMap((piece) => splitter.push(piece));
  return { frames: frames.map(String), rest: splitter.rest().toString() };
};

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let value = seed; ; value = (value * 1_103_515_245 + 12_345) % 2_147_483_648) yield value;
}

describe("a stream of bytes as frames", () => {
  const bytes = Buffer.from(FRAMES.join(""));

  it("is cut at empty lines, whichever line ends it has", () => {
    expect(split([bytes])).toEqual({ frames: FRAMES, rest: "" });
  });

  it("doesn't depend on where the network cut it", () => {
    for (let size = 1; size < 40; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(split(pieces), `pieces of ${size} bytes`).toEqual({ frames: FRAMES, rest: "" });
    }
    for (let seed = 1; seed <= 200; seed++) {
      const random = numbers(seed);
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = (random.next().value >> 8) % 60;
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(split(pieces), `seed ${seed}`).toEqual({ frames: FRAMES, rest: "" });
    }
  });

  it("keeps bytes after the last frame", () => {
    expect(split([Buffer.from("data: a\n\ndata: ha")])).toEqual({
      frames: ["data: a\n\n"],
      rest: "data: ha",
    });
  });

  it("gives a frame that came whole without copying it", () => {
    const piece = Buffer.from("data: a\n\ndata: b\n\n");
    expect(new FrameSplitter().push(piece)[1]?.buffer).toBe(piece.buffer);
  });

  it("doesn't wait for a frame without end", () => {
    const splitter = new FrameSplitter();
    const piece = Buffer.alloc(1_000_000, "x");
    for (let n = 0; n < 4; n++) splitter.push(piece);
    expect(() => splitter.push(piece)).toThrow(FrameTooLarge);
  });
});

describe("a frame", () => {
  it("has a name and data", () => {
    const frame = Buffer.from("event: ping\r\ndata: one\r\ndata:two\r\n\r\n");
    expect(eventOf(frame)).toBe("ping");
    expect(dataOf(frame)).toBe("one\ntwo");
  });

  it("may have neither", () => {
    expect(eventOf(Buffer.from(": event: x\n\n"))).toBe("");
    expect(dataOf(Buffer.from(": heartbeat\n\n"))).toBe("");
  });
});
