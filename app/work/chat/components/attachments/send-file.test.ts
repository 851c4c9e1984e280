import { expect, it } from "vitest";
import { fittedSize, shrinkImage } from "./send-file";

it.each([
  [20_000, 10_000, 2576, 1288],
  [100, 30_000, 8, 2576],
  [640, 480, 640, 480],
  [1, 90_000, 1, 2576],
])("fits %d × %d into %d × %d", (width, height, fittedWidth, fittedHeight) => {
  expect(fittedSize({ width, height })).toEqual({ width: fittedWidth, height: fittedHeight });
});

it("returns files unchanged that aren't a still image", async () => {
  for (const type of ["image/gif", "image/svg+xml", "text/plain"]) {
    const file = new File(["x"], "file", { type });
    expect(await shrinkImage(file)).toBe(file);
  }
});
