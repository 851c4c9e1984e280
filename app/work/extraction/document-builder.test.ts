import { expect, it } from "vitest";
import { DocumentBuilder } from "./document-builder";

it("says in one sentence what was left out", () => {
  const builder = new DocumentBuilder();
  builder.leaveOut("image without text", "images without text", 2);
  builder.leaveOut("header", "headers");
  builder.leaveOut("image without text", "images without text");
  builder.leaveOut("footer", "footers", 0);
  expect(builder.finish("", { format: "Word" }).facts.notes).toEqual([
    "Left out: 3 images without text, 1 header.",
  ]);
});
