import { expect, it } from "vitest";
import { z } from "zod";
import { assertKnownNames } from "./form-names.server";

const Schema = z
  .object({
    name: z.string(),
    tools: z.preprocess((value) => value, z.array(z.string()).max(50)).optional(),
    targets: z
      .array(z.object({ model: z.string() }))
      .max(2)
      .default([]),
    config: z.union([z.object({ url: z.string() }), z.object({ host: z.string().nullable() })]),
  })
  .transform((value) => value);

const check = (...names: string[]) => {
  const form = new FormData();
  for (const name of names) form.append(name, "x");
  return () => assertKnownNames(form, Schema);
};

it("lets a schema's own names through, however deep they lie in it", () => {
  const names = ["name", "tools", "tools", "tools[49]", "targets[1].model", "config.url", "config.host"];
  expect(check(...names)).not.toThrow();
});

it.each([
  "nmae",
  "name.first",
  "name[0]",
  "tools[50]",
  "targets[2].model",
  "targets[0].modle",
  "config.port",
  "toString",
])("refuses %s, which the schema doesn't have", (name) => {
  expect(check("name", name)).toThrow(`an unknown field: "${name}"`);
});

it("lets every plain name of a record through", () => {
  const form = new FormData();
  form.append("anything", "x");
  expect(() => assertKnownNames(form, z.record(z.string(), z.unknown()))).not.toThrow();
  form.append("anything[0].more", "x");
  expect(() => assertKnownNames(form, z.record(z.string(), z.unknown()))).toThrow("unknown field");
});
