import { expect, it } from "vitest";
import type { Document } from "../documents.schema";
import type { Group } from "./pending-change";
import { applyPending } from "./pending-change";

const group = (name: string, ...ids: string[]): Group => ({
  category: { id: name, name, fixed: false, documents: ids.length },
  documents: ids.map((id) => ({ id, metadata: { category: name } }) as Document),
});
const groups = [group("Finance", "a", "b"), group("Service", "c"), group("Products")];
const form = (...fields: [string, string][]) => {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  return data;
};
const shown = (data: FormData) =>
  applyPending(groups, data).map(({ category, documents }) => [
    category.documents,
    documents.map(({ id }) => id).join(""),
  ]);

it("shows moved documents at their new position, and hides documents being deleted", () => {
  expect(shown(form(["intent", "set-category"], ["id", "a"], ["category", "Products"]))).toEqual([
    [1, "b"],
    [1, "c"],
    [1, "a"],
  ]);
  expect(
    shown(form(["intent", "move-selected"], ["ids", "a"], ["ids", "c"], ["category", "Service"])),
  ).toEqual([
    [1, "b"],
    [2, "ca"],
    [0, ""],
  ]);
  expect(shown(form(["intent", "delete-selected"], ["ids", "b"], ["ids", "c"]))).toEqual([
    [1, "a"],
    [0, ""],
    [0, ""],
  ]);
  expect(applyPending(groups, form(["intent", "retry"], ["id", "a"]))).toBe(groups);
});
