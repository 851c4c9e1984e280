import { z } from "zod";
import { filesIn } from "~/ai/tools/files/result-files.shared";
import { parseWellFormed } from "~/core/well-formed";
import type { Json } from "./step-type";

/** Longest text of one field, in characters. */
const MAX_LENGTH = 1_000_000;

export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export const isBlank = (value: unknown) => value === undefined || value === null || value === "";

/** May be empty. */
export const text = (max = MAX_LENGTH) =>
  z
    .preprocess(asText, z.string().max(max, `Use at most ${max.toLocaleString("en-US")} characters`))
    .default("");

/** @param message such as "Enter a prompt" */
export const requiredText = (message: string, max = MAX_LENGTH) =>
  text(max).refine((value) => value.trim() !== "", message);

/** Also as text, from forms and templates. */
export const numeric = (min: number, max: number, { whole = true } = {}) => {
  const message = `Enter a ${whole ? "whole number" : "number"} from ${min} to ${max.toLocaleString("en-US")}`;
  const number = z.number(message).min(min, message).max(max, message);
  const checked = whole ? number.int(message) : number;
  const read = (value: unknown) => {
    if (isBlank(value)) return undefined;
    return typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  };
  return {
    optional: () => z.preprocess(read, checked.optional()).optional(),
    default: (usual: number) => z.preprocess(read, checked.default(usual)).default(usual),
  };
};

const ON = ["true", "on", "yes", "1"];
const OFF = ["false", "off", "no", "0", ""];

export const toggle = (usual: boolean) =>
  z
    .preprocess((value) => {
      if (value === undefined || value === null) return usual;
      if (typeof value !== "string") return value;
      if (ON.includes(value)) return true;
      return OFF.includes(value) ? false : value;
    }, z.boolean("Choose on or off"))
    .default(usual);

/** Blank means `usual`. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T, usual: T[number]) =>
  z
    .preprocess(
      (value) => (isBlank(value) ? usual : value),
      z.enum(values, `Choose one of ${values.join(", ")}`),
    )
    .default(usual as never);

/** Parses JSON text, as an alternative to an expression. */
export function fromJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseWellFormed(value);
  } catch {
    return value;
  }
}

/** A map or its JSON text; blank is empty. */
export const jsonObject = (message: string) =>
  z
    .preprocess(
      (value) => (isBlank(value) ? {} : fromJson(value)),
      z.record(z.string(), z.unknown(), message).transform((value) => value as { [key: string]: Json }),
    )
    .default({});

export const jsonValue = z
  .unknown()
  .transform((value) => (value === undefined ? null : value) as Json)
  .default(null);

const NOT_A_FILE = "Give a step's file, such as steps.request.files[0], or a list of them";

/** A file, a list of them, or what has them in `files`; as the journal has them, their ids. */
function readFileIds(value: unknown): unknown {
  if (isBlank(value)) return [];
  const given = fromJson(value);
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const ids = list.flatMap((one) => {
    if (typeof one === "string") return one;
    const files = filesIn(one);
    return files.length > 0 ? files.map(({ id }) => id) : NO_FILE;
  });
  return ids;
}

const NO_FILE = "";

/** Ids of files of runs. */
export const fileIds = (max: number) =>
  z
    .preprocess(
      readFileIds,
      z
        .array(z.string().regex(/^tfl_[A-Za-z0-9_-]{1,60}$/, NOT_A_FILE), NOT_A_FILE)
        .max(max, `Use at most ${max} ${max === 1 ? "file" : "files"}`),
    )
    .default([]);

const MAX_RECIPIENTS = 50;
export const HAS_LINE_BREAK = /[\r\n\u2028\u2029\0]/;

function readAddresses(value: unknown): string[] {
  const items = Array.isArray(value) ? value.map(asText) : asText(value).split(/[,;]/);
  return items.map((item) => item.replace(/^[ \t]+|[ \t]+$/g, "")).filter(Boolean);
}

/** A list, or text separated by commas. */
export const recipients = (min: 0 | 1) =>
  z.preprocess(
    readAddresses,
    z
      .array(
        z
          .string()
          .max(320)
          .refine((address) => !HAS_LINE_BREAK.test(address), "An email address can't have a line break")
          .refine((address) => z.email().safeParse(address).success, {
            error: ({ input }) => `This is not an email address: ${String(input).slice(0, 80)}`,
          }),
      )
      .min(min, "Enter at least one email address")
      .max(MAX_RECIPIENTS, `Use at most ${MAX_RECIPIENTS} recipients`),
  );
