import { describe, expect, it } from "vitest";
import { FrameReader, FrameTooLarge } from "./sse-frames";

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
  const reader = new FrameReader();
  const frames = pieces.flatMap((piece) => reader.push(piece));
  return { frames: frames.map(({ bytes }) => bytes.toString()), rest: reader.rest()?.bytes.toString() ?? "" };
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

  it("keeps bytes that aren't UTF-8", () => {
    const piece = Buffer.from([...Buffer.from("data: "), 0xff, 0xc3, 10, 10]);
    expect(new FrameReader().push(piece)[0]?.bytes).toEqual(piece);
  });

  it("looks at no byte of a long frame again for each piece", () => {
    const piece = Buffer.alloc(32, "x");
    const pieces = Array.from({ length: 120_000 }, () => piece);
    const { frames, rest } = split([...pieces, Buffer.from("\n"), Buffer.from("\r"), Buffer.from("\n")]);
    expect(frames.map(({ length }) => length)).toEqual([32 * 120_000 + 3]);
    expect(rest).toBe("");
  });

  it("doesn't wait for a frame without end", () => {
    const reader = new FrameReader();
    const piece = Buffer.alloc(1_000_000, "x");
    for (let n = 0; n < 4; n++) reader.push(piece);
    expect(() => reader.push(piece)).toThrow(FrameTooLarge);
  });
});

describe("a frame", () => {
  it("has a name and data", () => {
    const frame = Buffer.from("event: ping\r\ndata: one\r\ndata:two\r\n\r\n");
    expect(new FrameReader().push(frame)).toEqual([{ bytes: frame, event: "ping", data: "one\ntwo" }]);
  });

  it("may have neither", () => {
    const [comment, event] = new FrameReader().push(Buffer.from(": event: x\n\ndata: a\n\n"));
    expect([comment, event]).toMatchObject([
      { event: "", data: "" },
      { event: "", data: "a" },
    ]);
  });

  it("may lack its empty line at the stream's end", () => {
    const reader = new FrameReader();
    reader.push(Buffer.from("data: [DONE]"));
    expect(reader.rest()).toMatchObject({ data: "[DONE]" });
    expect(reader.isEmpty).toBe(true);
  });
});
