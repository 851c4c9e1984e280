import { expect, it } from "vitest";
import { parseMarkdown } from "../markdown/parse.shared";
import { hasOpenEnd, headingLevels } from "./markdown-tree";

it.each([
  ["# a\n\n## b\n\n### c\n\n## d", [2, 3, 4, 3]],
  ["### a\n\n### b\n\n##### c", [2, 2, 3]],
  ["## a\n\n# b\n\n## c", [2, 2, 3]],
  ["# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f", [2, 3, 4, 5, 6, 6]],
])("skips no level: %j", (text, levels) => {
  expect([...headingLevels(parseMarkdown(text).blocks).values()]).toEqual(levels);
});

it.each([
  ["```mermaid\ngraph TD", true],
  ["```mermaid\ngraph TD\n``", true],
  ["```mermaid\ngraph TD\n```\n", false],
  ["~~~svg\n<svg/>\n~~~", false],
  ["```mermaid\ngraph TD\n```\nand", false],
  ["```mermaid\ngraph TD\n```\n\n```svg\n<svg", true],
])("draws a block once its fence is closed: %j", (text, isOpen) => {
  expect(hasOpenEnd(parseMarkdown(text), text)).toBe(isOpen);
});
