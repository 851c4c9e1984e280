import { expect, it } from "vitest";
import { compareDefinitions } from "./versions.service.server";
import type { WorkflowDefinition } from "./workflows.schema";

const log = (id: string, message: string, more = {}) => ({ id, type: "log", config: { message }, ...more });
const version = (steps: WorkflowDefinition["steps"], more: Partial<WorkflowDefinition> = {}) => ({
  triggers: [{ id: "manual_1", type: "manual", config: {} }],
  steps,
  connections: [],
  ...more,
});

it("lists the steps and fields that were added, removed, changed and moved", () => {
  const before = version([log("a", "one"), log("b", "two"), log("gone", "x"), log("c", "three")]);
  const after = version([
    log("a", "one", { position: { x: 5, y: 5 } }),
    log("c", "three"),
    log("b", "2", { name: "Second", options: { retries: 2 } }),
    log("new", "y"),
  ]);
  expect(
    compareDefinitions(before, after).map(({ kind, id, fields }) => [
      kind,
      id,
      fields.map(({ field, before: old, after: now }) => [field, old, now]),
    ]),
  ).toEqual([
    ["moved", "c", []],
    [
      "changed",
      "b",
      [
        ["name", null, "Second"],
        ["config.message", "two", "2"],
        ["options.retries", null, "2"],
      ],
    ],
    [
      "added",
      "new",
      [
        ["type", null, "log"],
        ["config.message", null, "y"],
      ],
    ],
    ["removed", "gone", []],
  ]);
});

it("lists triggers and connections but ignores canvas positions", () => {
  const steps = [log("a", "one"), log("b", "two")];
  const before = version(steps, { connections: [{ from: "a", to: "b" }] });
  const after = version([...steps].reverse(), {
    triggers: [{ id: "manual_1", type: "schedule", config: { cron: "0 9 * * *" } }],
    connections: [{ from: "a", to: "b", branch: "error" }],
  });
  expect(compareDefinitions(before, after).map(({ kind, part, id }) => [kind, part, id])).toEqual([
    ["changed", "trigger", "manual_1"],
    ["added", "connection", "a → b (error)"],
    ["removed", "connection", "a → b"],
  ]);
  expect(compareDefinitions(before, before)).toEqual([]);
});
