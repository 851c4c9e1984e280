import { describe, expect, it } from "vitest";
import { checkRaster } from "./brand-images.service.server";

/** The beginning of a PNG as far as its size. */
function png(width: number, height: number): Buffer {
  const header = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const size = Buffer.alloc(17);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([header, size]);
}

describe("a raster image", () => {
  it("is recognized by its bytes", () => {
    expect(checkRaster(png(64, 64))).toEqual({ mediaType: "image/png", extension: "png" });
    const gif = Buffer.from("47494638396110001000800000", "hex");
    expect(checkRaster(gif)).toEqual({ mediaType: "image/gif", extension: "gif" });
  });

  it.each([
    ["a page that is called an image", Buffer.from("<html><script>alert(1)</script>")],
    ["a page after blanks", Buffer.from("   <!doctype html>")],
    ["a PNG that is cut off", png(64, 64).subarray(0, 12)],
    [
      "a PNG whose content is a page",
      Buffer.from("\x89PNG\r\n\x1a\n<html><script>alert(1)</script>", "latin1"),
    ],
    ["20,000 pixels", png(20_000, 10)],
    ["no pixels", png(0, 10)],
    ["a TIFF", Buffer.from("49492a0008000000", "hex")],
    ["nothing", Buffer.alloc(0)],
  ])("is refused for %s", (_, bytes) => {
    expect(checkRaster(bytes)).toHaveProperty("problem");
  });
});
