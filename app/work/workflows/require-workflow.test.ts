import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../../tests/support/database";
import { definitionOf } from "./require-workflow.server";
import { createWorkflow, updateWorkflow } from "./workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it("parses each version of a definition once", () => {
  const step = (message: string) => ({ type: "log", config: { message } });
  const { id } = createWorkflow(test.actors.member, {
    name: "Test",
    description: "",
    triggers: [],
    steps: [step("first")],
    connections: [],
  });
  const first = definitionOf(id, 1);
  updateWorkflow(test.actors.member, id, { steps: [step("second")] });
  expect(definitionOf(id, 1)).toBe(first);
  expect(definitionOf(id, 2).steps[0]?.config).toEqual({ message: "second" });
  expect(() => definitionOf(id, 3)).toThrow("Version 3 of the workflow was deleted.");
});
