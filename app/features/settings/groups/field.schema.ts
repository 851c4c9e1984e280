import { z } from "zod";

/** How a screen lets a person choose a value. */
type Control =
  | { kind: "switch" }
  | { kind: "number" | "range"; min: number; max: number; step: number; unit?: string }
  | {
      kind: "select";
      options: readonly string[];
      labels?: Readonly<Record<string, string>>;
      suggestions?: true;
    }
  | { kind: "checks"; options: readonly string[]; labels: Readonly<Record<string, string>> }
  | { kind: "text"; maxLength: number }
  | { kind: "textarea"; maxLength: number }
  | { kind: "code"; maxLength: number }
  | { kind: "colour" };

interface Text {
  label: string;
  hint: string;
  /** The folder under `app/features` (or `core`, `http`) that obeys it; null where nothing does yet, and no screen may offer it. */
  obeyedBy: string | null;
}

/** One setting: how it is parsed, what it is until someone changes it, and how a screen shows it. */
export interface Field<T = unknown> extends Text {
  schema: z.ZodType<T>;
  fallback: T;
  control: Control;
  /** The audit trail keeps its length in place of the text. */
  long?: true;
  /** Values that take more than the group's permission, and the reason. */
  guarded?: { values: readonly T[]; permission: "safeguards.disable" };
}

export const toggle = (fallback: boolean, text: Text): Field<boolean> => ({
  ...text,
  schema: z.boolean("Choose true or false"),
  fallback,
  control: { kind: "switch" },
});

/** A switch whose being off takes the owner. */
export const safeguard = (text: Text): Field<boolean> => ({
  ...toggle(true, text),
  guarded: { values: [false], permission: "safeguards.disable" },
});

interface NumberText extends Text {
  min: number;
  max: number;
  /** Every value is a multiple of it; without, any whole number. */
  step?: number;
  unit?: string;
  /** Whether a slider suits it: a small range, whose middle is as likely as its ends. */
  slider?: true;
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
      .multipleOf(step, step === 1 ? "Choose a whole number" : `Choose a multiple of ${step}${suffix}`),
    fallback,
    control: { kind: slider ? "range" : "number", min, max, step, ...(unit ? { unit } : {}) },
  };
}

export const choice = <const O extends readonly [string, ...string[]]>(
  options: O,
  fallback: NoInfer<O[number]>,
  text: Text,
  /** Names of options that aren't plain words. */
  labels?: Readonly<Record<string, string>>,
): Field<O[number]> => ({
  ...text,
  schema: z.enum(options, `Choose one of ${options.join(", ")}`),
  fallback,
  control: { kind: "select", options, ...(labels && { labels }) },
});

/** Any number of options, all of them until someone changes it. */
export const choices = <const O extends string>(
  options: readonly O[],
  text: Text,
  labels: Readonly<Record<string, string>>,
): Field<O[]> => ({
  ...text,
  schema: z
    .array(z.enum(options as [O, ...O[]], `Choose among ${options.join(", ")}`), "Choose a list of options")
    .max(options.length, "Choose each option once"),
  fallback: [...options],
  control: { kind: "checks", options, labels },
});

interface Length {
  min?: number;
  max: number;
}

const bounded = ({ min = 0, max }: Length) =>
  z
    .string("Enter a text")
    .trim()
    .min(min, "Enter a text")
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
    .string("Enter a text")
    .regex(/^#[0-9a-f]{6}$/i, "Enter a color as # and six hexadecimal digits, such as #3b82f6"),
  fallback,
  control: { kind: "colour" },
});

/** The name of an environment variable that holds a secret; which names are allowed is the rule of `keys`. */
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

/** An email address, or nothing. */
export const email = (rest: Text): Field<string> => ({
  ...rest,
  schema: z
    .string("Enter an email address")
    .trim()
    .max(254, "Use at most 254 characters")
    .refine((value) => value === "" || z.email().safeParse(value).success, "Enter an email address"),
  fallback: "",
  control: { kind: "text", maxLength: 254 },
});

/** An http or https address, or nothing. */
export const address = (rest: Text): Field<string> => ({
  ...rest,
  schema: z
    .string("Enter an address")
    .trim()
    .max(500, "Use at most 500 characters")
    .refine(
      (value) => value === "" || isWebAddress(value),
      "Enter an http or https address without a password",
    ),
  fallback: "",
  control: { kind: "text", maxLength: 500 },
});

const MOST_ORIGINS = 2000;

/** Origins with single spaces between them, or nothing. */
export const origins = (rest: Text): Field<string> => ({
  ...rest,
  schema: z
    .string("Enter origins")
    .trim()
    .max(MOST_ORIGINS, `Use at most ${MOST_ORIGINS.toLocaleString("en-US")} characters`)
    .regex(
      /^(?:https?:\/\/[^\s/?#@]+(?:\s+(?=h)|$))*$/,
      "Enter origins such as https://app.example.org, without a path and separated by spaces",
    ),
  fallback: "",
  control: { kind: "text", maxLength: MOST_ORIGINS },
});

function isWebAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}
