import { z } from "zod";

/** What a form's schema needs to know of a field. */
interface FormField {
  schema: z.ZodType;
  control: { kind: string };
}

/** What a browser leaves out for a field: a switch that is off, a text that is empty. */
const ABSENT: Readonly<Record<string, unknown>> = { switch: false, text: "", textarea: "", code: "" };

/** Checked boxes of one name: none, one or several values. */
const toList = (sent: unknown) => (sent === undefined ? [] : [sent].flat());

/**
 * The fields of a form from a field list, for `z.object`: each is parsed by its own schema, also where the browser sends
 * nothing for it.
 */
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
