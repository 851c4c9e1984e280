import { expect, it } from "vitest";
import { DocumentBuilder } from "./document-builder";

it("says in one sentence what was left out", () => {
  const builder = new DocumentBuilder();
  builder.leaveOut("image", "images", 2);
  builder.leaveOut("header", "headers");
  builder.leaveOut("image", "images");
  builder.leaveOut("footer", "footers", 0);
  expect(builder.finish("", { format: "Word" }).facts.notes).toEqual(["Left out: 3 images, 1 header."]);
});
