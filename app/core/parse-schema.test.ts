import { expect, it } from "vitest";
import { z } from "zod";
import { parseWith } from "./parse";

it("names every field that is wrong", () => {
  const schema = z.object({
    name: z.string().min(1, "Name is required"),
    deep: z.object({ n: z.number() }),
  });
  expect(() => parseWith(schema, { name: "", deep: { n: "x" } }, "body")).toThrow(
    expect.objectContaining({
      code: "invalid",
      message: "The body is not valid: Name is required (name)",
      fields: { name: ["Name is required"], "deep.n": [expect.any(String)] },
    }),
  );
});
