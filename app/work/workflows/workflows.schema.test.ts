import { expect, it } from "vitest";
import { WorkflowInput } from "./workflows.schema";

it("ignores unknown properties, as everywhere but in settings", () => {
  const parse = (members: object) =>
    WorkflowInput.parse({ name: "Digest", steps: [{ type: "log_output", config: {}, ...members }] })
      .steps?.[0];
  expect(parse({ options: { retries: 3 } })).toMatchObject({ options: { retries: 3 } });
  expect(parse({ retries: 3 })).toEqual(parse({}));
  expect(parse({ options: { retry: 3 } })).toMatchObject({ options: {} });
});

it("takes step ids with hyphens and leading digits", () => {
  const idOf = (id: string) =>
    WorkflowInput.safeParse({ name: "Digest", steps: [{ id, type: "log_output", config: {} }] }).success;
  expect(["step-1", "1", "a_b", "x".repeat(64)].map(idOf)).toEqual([true, true, true, true]);
  expect(["", "a b", "a.b", "x".repeat(65)].map(idOf)).toEqual([false, false, false, false]);
});
