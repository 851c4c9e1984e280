import { expect, it } from "vitest";
import { Draft, type PartType } from "../../builder.schema";
import { layOut } from "../../graph-layout.shared";
import { toNodes } from "./canvas-node";

const part = (id: string, type = "log") => ({ id, type, config: {} });
const type = (kind: "triggers" | "steps", name: string): PartType => ({
  kind,
  type: name,
  label: name,
  description: "",
  category: "Logic",
  icon: "Workflow",
  node: kind === "triggers" ? "trigger" : "action",
  defaults: {},
  fields: [],
  outputs: [],
  branches: [],
});
const types = [type("triggers", "manual"), type("steps", "log")];
const draft = Draft.parse({
  triggers: [part("go", "manual"), part("also", "manual")],
  steps: [part("one"), part("two")],
});
const connected = { ...draft, connections: [{ from: "go", to: "two" }] };

const rows = (positions: ReadonlyMap<string, { y: number }>) => {
  const ys = [...new Set([...positions.values()].map(({ y }) => y))].sort((a, b) => a - b);
  return Object.fromEntries([...positions].map(([id, { y }]) => [id, ys.indexOf(y)]));
};

it("tidies steps in the order of the list, until there are connections", () => {
  const listed = rows(layOut(draft, types));
  expect(listed, "one runs before two").toMatchObject({ go: 0, one: 1, two: 2 });
  expect(rows(layOut(connected, types)), "two follows its trigger").toMatchObject({ go: 0, two: 1 });
});

it("puts parts without a position beside and below each other, and keeps the others where they are", () => {
  const moved = { ...draft, steps: [{ ...part("one"), position: { x: 7, y: 8 } }, part("two")] };
  const nodes = toNodes(moved, types, {}, new Map());
  const at = Object.fromEntries(nodes.map(({ id, position }) => [id, position]));
  expect(at.one, "a position that was dragged to").toEqual({ x: 7, y: 8 });
  expect(at.also?.y, "triggers are side by side").toBe(at.go?.y);
  expect(at.also?.x).toBeGreaterThan(at.go?.x ?? 0);
  expect(at.two?.x, "steps are in a column").toBe(0);
  expect(at.two?.y).toBeGreaterThan(at.go?.y ?? 0);
  const tidied = toNodes(draft, types, {}, new Map([["two", { x: 1, y: 2 }]]));
  expect(tidied.find(({ id }) => id === "two")?.position, "a tidied position").toEqual({ x: 1, y: 2 });
});
