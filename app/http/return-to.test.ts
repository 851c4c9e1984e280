import { expect, it } from "vitest";
import { safeReturnTo } from "./return-to.server";

it.each([
  ["/chat?dialog=new", "/chat?dialog=new"],
  ["/", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/a\\..\\b", "/"],
  ["/\t/evil.example", "/"],
  ["https://evil.example", "/"],
  ["javascript:alert(1)", "/"],
  [undefined, "/"],
])("leads %s to %s", (value, expected) => {
  expect(safeReturnTo(value)).toBe(expected);
});
