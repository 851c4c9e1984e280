import { expect, it } from "vitest";
import { z } from "zod";
import { parseForm, pickKnownFields } from "./form.server";

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

const pick = (schema: z.ZodType, ...names: string[]) => {
  const form = new FormData();
  for (const name of names) form.append(name, "x");
  return [...pickKnownFields(form, schema).keys()];
};

it("keeps a schema's own names, however deep they lie in it", () => {
  const names = ["name", "tools", "tools", "tools[49]", "targets[1].model", "config.url", "config.host"];
  expect(pick(Schema, ...names)).toEqual(names);
});

it.each(["nmae", "name.first", "name[0]", "targets[0].modle", "config.port", "toString"])(
  "leaves out %s, which another button of the form may need",
  (name) => {
    expect(pick(Schema, "name", name)).toEqual(["name"]);
  },
);

it.each(["tools[50]", "targets[2].model"])("refuses %s, a position beyond the list's end", (name) => {
  expect(() => pick(Schema, "name", name)).toThrow(`an unknown field: "${name}"`);
});

it("refuses by name what a strict schema doesn't have", () => {
  const Strict = z.object({ group: z.strictObject({ size: z.string() }) });
  expect(pick(Strict, "group.size", "other")).toEqual(["group.size"]);
  expect(() => pick(Strict, "group.siez")).toThrow('an unknown field: "group.siez"');
});

it("keeps every plain name of a record", () => {
  const schema = z.record(z.string(), z.unknown());
  expect(pick(schema, "anything", "anything[0].more")).toEqual(["anything"]);
});

it("says at a list's field, too, what is wrong with one of its items", () => {
  const form = new FormData();
  form.append("sites", "https://a.example\nb.example");
  form.append("tags", "x");
  form.append("tags", "");
  form.append("steps[1].name", "");
  const lines = (value: unknown) => String(value).split("\n");
  const schema = z.object({
    sites: z.preprocess(lines, z.array(z.url("Enter addresses"))),
    tags: z.array(z.string().min(1, "Enter a tag")),
    steps: z.array(z.object({ name: z.string().min(1, "Enter a name") }).optional()),
  });
  const reply = parseForm(form, schema, {}).reply();
  expect(reply.error).toEqual({
    sites: ["Enter addresses"],
    "sites[1]": ["Enter addresses"],
    tags: ["Enter a tag"],
    "tags[1]": ["Enter a tag"],
    "steps[1].name": ["Enter a name"],
  });
  const refused = parseForm(form, schema, {}).reply({ errors: { "tags.1": ["Not this one"] } } as never);
  expect(refused.error?.tags).toContain("Not this one");
});

it("says of an empty field what its schema says of an empty text", () => {
  const form = new FormData();
  for (const name of ["name", "email", "note"]) form.append(name, "");
  const schema = z.object({
    name: z.string().trim().min(1, "Enter a name"),
    email: z.email("Enter an email address"),
    note: z.string(),
    owner: z.string("Choose an owner").min(1, "Enter an owner"),
  });
  expect(parseForm(form, schema, {}).reply().error).toEqual({
    name: ["Enter a name"],
    email: ["Enter an email address"],
    note: ["This is required"],
    owner: ["Choose an owner"],
  });
});
