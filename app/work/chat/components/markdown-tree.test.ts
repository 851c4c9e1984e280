import { expect, it } from "vitest";
import { parseMarkdown } from "../markdown/parse.shared";
import { headingLevels } from "./markdown-tree";

it.each([
  ["# a\n\n## b\n\n### c\n\n## d", [2, 3, 4, 3]],
  ["### a\n\n### b\n\n##### c", [2, 2, 3]],
  ["## a\n\n# b\n\n## c", [2, 2, 3]],
  ["# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f", [2, 3, 4, 5, 6, 6]],
])("skips no level: %j", (text, levels) => {
  expect([...headingLevels(parseMarkdown(text).blocks).values()]).toEqual(levels);
});
