import { expect, it } from "vitest";
import { shownKind } from "./shown-block";

it.each([
  ["Mermaid", "graph TD", "mermaid"],
  ["svg", "<svg/>", "svg"],
  ["html", "\n<svg viewBox='0 0 1 1'></svg>", "svg"],
  ["xml", "<svg></svg>", "svg"],
  ["xml", "<note/>", undefined],
  ["HTML", "<p>Hello</p>", "html"],
  ["htm", "<svgs>", "html"],
  ["js", "<p>Hello</p>", undefined],
  ["", "<p>Hello</p>", undefined],
])("of a block in %j with %j a browser shows: %s", (name, code, kind) => {
  expect(shownKind(name, code)).toBe(kind);
});
