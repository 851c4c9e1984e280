import { expect, test } from "vitest";
import { complete, insertName } from "./completion";

const names = ["trigger", "steps.search", "size("].map((name) => ({ name, description: "" }));
const offered = (text: string, isExpression = false) =>
  complete(text, text.length, isExpression, names).map(({ name }) => name);

test("names are offered in braces alone, but everywhere in an expression", () => {
  expect(offered("s")).toEqual([]);
  expect(offered("{{ s")).toEqual(["steps.search", "size("]);
  expect(offered("{{ ")).toHaveLength(3);
  expect(offered("{{ trigger.a }} s")).toEqual([]);
  expect(offered("size(tr", true)).toEqual(["trigger"]);
  expect(offered("a + ", true)).toEqual([]);
});

test("a name takes the place of its beginning at the cursor", () => {
  expect(insertName("{{ ste }}", 6, "steps.search")).toEqual({ text: "{{ steps.search }}", cursor: 15 });
});
