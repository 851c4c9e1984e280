import Ajv7 from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { parseJson } from "~/core/parse";

/** Checks of an answer that may take any time; without one only whether the schema can be used. */
export const TraitsTask = z.object({
  pattern: z.string().optional(),
  jsonSchema: z.record(z.string(), z.unknown()).optional(),
  answer: z.string().nullable(),
});
export type TraitsTask = z.infer<typeof TraitsTask>;

const FENCE = /^```[a-z]*\n([\s\S]*?)\n?```$/;

/** @throws AppError `invalid` for a schema that can't be used */
function validate(schema: Record<string, unknown>, value: unknown): string | undefined {
  const { $async: _, ...sync } = schema;
  const Ajv = String(schema.$schema).includes("draft-07") ? Ajv7 : Ajv2020;
  try {
    const fits = new Ajv({
      strict: false,
      ownProperties: true,
      validateFormats: false,
      logger: false,
    }).compile(sync);
    if (fits(value)) return undefined;
    const [{ instancePath = "", message = "isn't valid" } = {}] = fits.errors ?? [];
    return `It doesn't fit the schema: ${instancePath || "it"} ${message}`;
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error).slice(0, 300);
    throw new AppError("invalid", `The JSON Schema can't be used: ${reason}`, { cause: error });
  }
}

function problemOfJson(schema: Record<string, unknown>, answer: string): string | undefined {
  let value: unknown;
  try {
    const text = answer.trim();
    value = parseJson(FENCE.exec(text)?.[1] ?? text);
  } catch {
    return "It isn't JSON";
  }
  return validate(schema, value);
}

/** Unanchored, with Unicode's rules where the pattern is valid by them. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return new RegExp(pattern).test(text);
  }
}

/** Runs in a thread. @returns what the answer lacks @throws AppError `invalid` for a schema that can't be used */
export function findLacking({ pattern, jsonSchema, answer }: TraitsTask): string[] {
  if (answer === null) {
    if (jsonSchema) validate(jsonSchema, null);
    return [];
  }
  const problem = jsonSchema && problemOfJson(jsonSchema, answer);
  return [
    ...(pattern === undefined || matches(pattern, answer) ? [] : [`It doesn't match ${pattern}`]),
    ...(problem ? [problem] : []),
  ];
}
