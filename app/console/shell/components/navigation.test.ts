import { expect, it } from "vitest";
import { isWithin, items } from "./navigation";

it.each([
  ["/", ["Dashboard"]],
  ["/chat/con_1", ["AI Chat"]],
  ["/compare", ["AI Chat"]],
  ["/compare/cmp_1", ["AI Chat"]],
  ["/chatter", []],
])("%s highlights %j", (path, names) => {
  expect(items.filter((item) => isWithin(path, item)).map(({ name }) => name)).toEqual(names);
});
