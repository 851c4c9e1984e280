import { expect, it } from "vitest";
import { WorkflowInput } from "./workflows.schema";

it("rejects unknown properties of a step instead of dropping them", () => {
  const retries = 3;
  const step = (members: object) => ({ type: "log_output", config: {}, ...members });
  const parse = (members: object) => WorkflowInput.safeParse({ name: "Digest", steps: [step(members)] });
  expect(parse({ options: { retries } }).success).toBe(true);
  expect(parse({ retries }).error?.issues).toEqual([
    expect.objectContaining({ path: ["steps", 0], message: 'Unrecognized key: "retries"' }),
  ]);
  expect(parse({ options: { retry: 3 } }).success).toBe(false);
});
