import { expect, it } from "vitest";
import { z } from "zod";
import { formShape } from "./form.server";

const form = z.object(
  formShape({
    name: { schema: z.string().min(1, "Enter text"), control: { kind: "text" } },
    note: { schema: z.string().max(10), control: { kind: "textarea" } },
    glass: { schema: z.boolean(), control: { kind: "switch" } },
    radius: { schema: z.number("Choose a number"), control: { kind: "range" } },
  }),
);

it("reads what a browser leaves out as a switch that is off and a text that is empty", () => {
  expect(form.parse({ name: "Lamp", radius: 8 })).toEqual({
    name: "Lamp",
    note: "",
    glass: false,
    radius: 8,
  });
});

it("still holds what is left out against the field's own schema", () => {
  const { error } = form.safeParse({ glass: true });
  expect(error?.issues.map(({ path, message }) => [path[0], message])).toEqual([
    ["name", "Enter text"],
    ["radius", "Choose a number"],
  ]);
});
