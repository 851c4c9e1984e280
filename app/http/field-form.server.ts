import { z } from "zod";

interface FormField {
  schema: z.ZodType;
  control: { kind: string };
}

/** Values of fields that browsers omit, such as an unchecked switch. */
const ABSENT: Readonly<Record<string, unknown>> = { switch: false, text: "", textarea: "", code: "" };

const toList = (submitted: unknown) => (submitted === undefined ? [] : [submitted].flat());

/** Form fields from a field list, for `z.object`; each has its own schema and default. */
export function formShape(fields: Readonly<Record<string, FormField>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { schema, control }]) => [
      name,
      control.kind === "checks"
        ? z.preprocess(toList, schema)
        : control.kind in ABSENT
          ? schema.prefault(ABSENT[control.kind])
          : schema,
    ]),
  );
}
