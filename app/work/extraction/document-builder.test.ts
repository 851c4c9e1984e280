import { expect, it } from "vitest";
import { DocumentBuilder, MAX_TEXT, TEXT_NOTE } from "./document-builder";

it("says in one sentence what was left out", () => {
  const builder = new DocumentBuilder();
  builder.leaveOut("image", "images", 2);
  builder.leaveOut("header", "headers");
  builder.leaveOut("image", "images");
  builder.leaveOut("footer", "footers", 0);
  expect(builder.finish("", { format: "Word" }).facts.notes).toEqual(["Left out: 3 images, 1 header."]);
});

it("cuts a table whose repeated cells are longer than a text can be", () => {
  const builder = new DocumentBuilder();
  builder.table(Array(1000).fill(Array(1000).fill("x".repeat(1000))));
  const { text, facts } = builder.finish("", { format: "OpenDocument" });
  expect(text.length).toBeLessThanOrEqual(MAX_TEXT);
  expect(facts.notes).toEqual([TEXT_NOTE]);
});
