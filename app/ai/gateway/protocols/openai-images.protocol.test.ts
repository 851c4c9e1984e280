import { Readable } from "node:stream";
import { expect, it, vi } from "vitest";
import { PNG_PIXEL } from "../../../../tests/support/image-server";
import { readImageForm } from "./openai-images.protocol";

it("the form of an edit counts its images, and the JSON that it becomes, as held in memory", async () => {
  const png = Buffer.from(PNG_PIXEL, "base64");
  const file = { kind: "file" as const, fileName: "a.png", contentType: "image/png" };
  const parts = async function* () {
    yield { kind: "field" as const, name: "prompt", value: "A ship" };
    yield { ...file, name: "image", bytes: Readable.from([png.subarray(0, 20), png.subarray(20)]) };
  };
  const hold = vi.fn();
  const json = await readImageForm(parts(), hold);
  expect(JSON.parse(json.toString())).toEqual({
    prompt: "A ship",
    images: [{ image_url: `data:image/png;base64,${PNG_PIXEL}` }],
  });
  expect(hold.mock.calls.flat()).toEqual([20, png.length - 20, json.length]);
});
