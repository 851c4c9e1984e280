import { expect, it } from "vitest";
import { isWithin, items, nameOf, sectionOf } from "./navigation";

it.each([
  ["/", ["Dashboard"]],
  ["/chat/con_1", ["AI Chat"]],
  ["/compare", ["AI Chat"]],
  ["/compare/cmp_1", ["AI Chat"]],
  ["/chatter", []],
])("%s highlights %j", (path, names) => {
  expect(items.filter((item) => isWithin(path, item)).map(({ name }) => name)).toEqual(names);
});

it.each([
  ["/usage", "Dashboard"],
  ["/settings/members", "Settings"],
  ["/notifications", "Notifications"],
  ["/search", "Search"],
  ["/standby", undefined],
])("the bar of a phone names %s %s", (path, name) => {
  expect(nameOf(path)).toBe(name);
});

it.each([
  ["/chat/projects/fld_1", "AI Chat"],
  ["/workflows/runs/run_1", "Workflows"],
  ["/settings/widgets/wgt_1", "Settings"],
  ["/nothing", undefined],
])("%s belongs to %s", (path, name) => {
  expect(sectionOf(path)?.name).toBe(name);
});
