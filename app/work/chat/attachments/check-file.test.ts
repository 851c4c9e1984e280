import { describe, expect, it } from "vitest";
import { checkImage } from "./check-file.server";

/** A PNG's header and end, with a size of its own. */
function png(width: number, height: number, end = "IEND"): Buffer {
  const size = Buffer.alloc(17);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), size, Buffer.from(end)]);
}

describe("an attached image", () => {
  it("is detected by its bytes, not its name", () => {
    expect(checkImage(png(640, 480), "report.pdf")).toEqual({
      mediaType: "image/png",
      extension: "png",
      width: 640,
      height: 480,
    });
    expect(checkImage(Buffer.from("# Notes"), "notes.md")).toBeUndefined();
  });

  it.each([
    ["20,000 pixels", png(20_000, 10), "a.png", "20,000 × 10 pixels. Use at most 8,000"],
    ["too many pixels in all", png(7000, 7000), "a.png", "40 million"],
    ["a page as its content", Buffer.from("<html></html>"), "cat.png", "isn't an image"],
    [
      "a page behind its header",
      Buffer.from("\x89PNG\r\n\x1a\n<html></html>", "latin1"),
      "cat.png",
      "damaged",
    ],
    ["an end that is missing", png(10, 10, "cut"), "cat.png", "incomplete"],
    ["a format that no provider takes", Buffer.from("II*\0rest of it", "latin1"), "scan", "isn't supported"],
  ])("is refused for %s", (_, bytes, name, reason) => {
    expect(() => checkImage(bytes, name)).toThrow(reason);
  });
});
