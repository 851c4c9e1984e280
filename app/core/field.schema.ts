import { z } from "zod";

export interface Option {
  value: string;
  label: string;
  hint?: string;
  group?: string;
}

export type Control =
  | { kind: "switch" }
  | { kind: "number"; min?: number; max?: number; step?: number; unit?: string }
  | { kind: "range"; min: number; max: number; step?: number; unit?: string }
  | { kind: "select"; options: readonly Option[] }
  | { kind: "cards"; options: readonly Option[] }
  | { kind: "checks"; options: readonly Option[] }
  | {
      kind: "text";
      /** Of the input, for keyboards and pickers. */
      type?: "email" | "url" | "date";
      maxLength?: number;
      suggestions?: readonly string[];
    }
  | { kind: "textarea" | "code"; maxLength?: number }
  | { kind: "colour" };

export interface FieldSpec {
  label: string;
  hint?: string | undefined;
  required?: boolean;
  control: Control;
  /** Hidden while another field of the form has another value. */
  usedWith?: UsedWith | undefined;
}

interface UsedWith {
  field: string;
  values: readonly string[];
}

export const drawnFields = (fields: Readonly<Record<string, FieldSpec>>): Record<string, FieldSpec> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { label, hint, control, usedWith }]) => [
      name,
      { label, hint, control, usedWith },
    ]),
  );

interface Text {
  label: string;
  hint: string;
  /** Folder that applies it. */
  appliedBy: string;
  usedWith?: UsedWith;
}

export interface Field<T = unknown> extends Text {
  schema: z.ZodType<T>;
  fallback: T;
  control: Control;
  /** Audited by length only. */
  long?: true;
  /** Values that require another permission. */
  guarded?: { values: readonly T[]; permission: "safeguards.disable" };
}

export const toggle = (fallback: boolean, text: Text): Field<boolean> => ({
  ...text,
  schema: z.boolean("Choose true or false"),
  fallback,
  control: { kind: "switch" },
});

/** Only owners can switch it off. */
export const safeguard = (text: Text): Field<boolean> => ({
  ...toggle(true, text),
  guarded: { values: [false], permission: "safeguards.disable" },
});

interface NumberText extends Text {
  min: number;
  max: number;
  /** Step; any whole number if absent. */
  step?: number;
  unit?: string;
  slider?: true;
}

function isMultiple(value: number, step: number): boolean {
  if (Number.isInteger(step)) return value % step === 0;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

export function number(
  fallback: number,
  { min, max, step = 1, unit, slider, ...text }: NumberText,
): Field<number> {
  const suffix = unit ? ` ${unit}` : "";
  const range = `Choose a number from ${min} to ${max}${suffix}`;
  return {
    ...text,
    schema: z
      .number(range)
      .min(min, { error: range, abort: true })
      .max(max, { error: range, abort: true })
      .refine(
        (value) => isMultiple(value, step),
        step === 1 ? "Choose a whole number" : `Choose a multiple of ${step}${suffix}`,
      )
      // In binary floating point 0.7 is no multiple of 0.1, so only whole steps are in the JSON schema.
      .meta(Number.isInteger(step) ? { multipleOf: step } : {}),
    fallback,
    control: { kind: slider ? "range" : "number", min, max, step, ...(unit ? { unit } : {}) },
  };
}

const capitalise = (value: string) => value.charAt(0).toUpperCase() + value.slice(1);

/** Labels are the capitalized values by default. */
export const optionsOf = (
  values: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Option[] => values.map((value) => ({ value, label: labels[value] ?? capitalise(value) }));

export const choice = <const O extends readonly [string, ...string[]]>(
  options: O,
  fallback: NoInfer<O[number]>,
  text: Text,
  labels?: Readonly<Record<string, string>>,
): Field<O[number]> & { control: Extract<Control, { kind: "select" }> } => ({
  ...text,
  schema: z.enum(options, `Choose one of ${options.join(", ")}`),
  fallback,
  control: { kind: "select", options: optionsOf(options, labels) },
});

export const choices = <const O extends string>(
  options: readonly O[],
  text: Text,
  labels: Readonly<Record<string, string>>,
): Field<O[]> => ({
  ...text,
  schema: z
    .array(z.enum(options as [O, ...O[]], `Choose from ${options.join(", ")}`), "Choose a list of options")
    .max(options.length, "Choose each option once"),
  fallback: [...options],
  control: { kind: "checks", options: optionsOf(options, labels) },
});

interface Length {
  min?: number;
  max: number;
}

const bounded = ({ min = 0, max }: Length) =>
  z
    .string("Enter text")
    .trim()
    .min(min, "Enter text")
    .max(max, `Use at most ${max.toLocaleString("en-US")} characters`);

export const text = (fallback: string, { min, max, ...rest }: Text & Length): Field<string> => ({
  ...rest,
  schema: bounded({ ...(min ? { min } : {}), max }),
  fallback,
  control: { kind: max > 240 ? "textarea" : "text", maxLength: max },
});

export const colour = (fallback: string, rest: Text): Field<string> => ({
  ...rest,
  schema: z
    .string("Enter text")
    .regex(/^#[0-9a-f]{6}$/i, "Enter a color as # and six hexadecimal digits, such as #3b82f6"),
  fallback,
  control: { kind: "colour" },
});

/** Environment variable of a secret; `keys` decides which names are allowed. */
export const variableName = (fallback: string, rest: Text): Field<string> => ({
  ...rest,
  schema: z
    .string("Enter the name of an environment variable")
    .trim()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
      "Enter the name of an environment variable, never the value itself",
    ),
  fallback,
  control: { kind: "text", maxLength: 128 },
});

/** May be empty. */
export const address = (rest: Text): Field<string> => ({
  ...rest,
  schema: z
    .string("Enter an address")
    .trim()
    .max(500, "Use at most 500 characters")
    .refine(
      (value) => value === "" || (isWebAddress(value) && !hasPassword(value)),
      "Enter an http or https address without a password",
    ),
  fallback: "",
  control: { kind: "text", maxLength: 500 },
});

const MAX_ORIGINS = 2000;

/** Separated by spaces; may be empty. */
export const origins = (rest: Text): Field<string> => ({
  ...rest,
  schema: z
    .string("Enter origins")
    .trim()
    .max(MAX_ORIGINS, `Use at most ${MAX_ORIGINS.toLocaleString("en-US")} characters`)
    .regex(
      /^(?:https?:\/\/[^\s/?#@]+(?:\s+(?=h)|$))*$/,
      "Enter origins such as https://app.example.org, without a path and separated by spaces",
    ),
  fallback: "",
  control: { kind: "text", maxLength: MAX_ORIGINS },
});

export const isWebAddress = (value: string) =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

export const hasPassword = (address: string) => {
  const { username, password } = new URL(address);
  return username !== "" || password !== "";
};
