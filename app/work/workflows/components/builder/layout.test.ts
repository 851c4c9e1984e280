import { expect, it } from "vitest";
import { Draft, type PartType } from "../../builder.schema";
import { layOut, NODE_WIDTH } from "../../graph-layout.shared";
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

it("draws branches from left to right in the order of their steps", () => {
  const ids = ["a", "b", "c", "d"];
  const xOf = (branches: readonly string[]) => {
    const positions = layOut(
      Draft.parse({
        triggers: [part("go", "manual")],
        steps: [part("fork", "parallel"), ...branches.map((id) => part(id)), part("end")],
        connections: [
          { from: "go", to: "fork" },
          ...branches.map((id) => ({ from: "fork", to: id })),
          ...branches.map((id) => ({ from: id, to: "end" })),
        ],
      }),
      types,
    );
    return branches.map((id) => positions.get(id)?.x ?? 0);
  };
  for (const count of [2, 3, 4]) {
    const xs = xOf(ids.slice(0, count));
    expect(xs).toEqual(xs.toSorted((one, other) => one - other));
  }
});

it("puts the branch with a handle on the left there", () => {
  const positions = layOut(
    Draft.parse({
      triggers: [part("go", "manual")],
      steps: [part("check", "condition"), part("no"), part("yes"), part("end")],
      connections: [
        { from: "go", to: "check" },
        { from: "check", to: "no", branch: "false" },
        { from: "check", to: "yes", branch: "true" },
        { from: "yes", to: "end" },
        { from: "no", to: "end" },
      ],
    }),
    types,
  );
  expect(positions.get("yes")?.x).toBeLessThan(positions.get("no")?.x ?? 0);
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

it.each([
  [[], 0],
  [[0], -60],
  [[0, 280], -60],
  [[-140, 140], 0],
  [[-280, 0, 280], -60],
])("adds another branch beside the lines to steps at %j", (columns, beside) => {
  const targets = columns.map((x, index) => ({ ...part(`b${index}`), position: { x, y: 260 } }));
  const forked = Draft.parse({
    steps: [{ ...part("fork", "parallel"), position: { x: 0, y: 130 } }, ...targets],
    connections: targets.map(({ id }) => ({ from: "fork", to: id })),
  });
  const [fork] = toNodes(forked, [...types, type("steps", "parallel")], {}, new Map());
  expect(fork?.data.beside).toBe(beside);
});

it("leaves a line that passes a node room beside it", () => {
  const fork: PartType = { ...type("steps", "condition"), branches: ["true", "false"] };
  const places = layOut(
    Draft.parse({
      triggers: [part("go", "manual")],
      steps: [part("check", "condition"), part("act"), part("end")],
      connections: [
        { from: "go", to: "check" },
        { from: "check", to: "act", branch: "true" },
        { from: "check", to: "end", branch: "false" },
        { from: "act", to: "end" },
      ],
    }),
    [...types, fork],
  );
  const [act = 0, end = 0] = ["act", "end"].map((id) => places.get(id)?.x);
  // The line bends from the right half of the check to the middle of the end.
  expect(act + NODE_WIDTH).toBeLessThanOrEqual(end + NODE_WIDTH / 2);
});
