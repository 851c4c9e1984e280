import Ajv7 from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { parseJson } from "~/core/parse";
import { Expects } from "./evaluations.schema";

export const TraitsTask = z.object({
  expects: Expects,
  /** Null to try only whether answers can be checked. */
  answer: z.string().nullable(),
  /** Ids of the documents that the answer cites. */
  cited: z.array(z.string()),
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

/**
 * The traits that an answer lacks, but for the rubric. Runs in a thread, as patterns and schemas may take any time.
 * @throws AppError `invalid` for a schema that can't be used
 */
export function findLacking({ expects, answer, cited }: TraitsTask): string[] {
  const { contains, lacks, pattern, jsonSchema, documentId } = expects;
  if (answer === null) {
    if (jsonSchema) validate(jsonSchema, null);
    return [];
  }
  const problem = jsonSchema && problemOfJson(jsonSchema, answer);
  const text = answer.toLocaleLowerCase("en-US");
  const has = (part: string) => text.includes(part.toLocaleLowerCase("en-US"));
  return [
    ...contains.filter((part) => !has(part)).map((part) => `It doesn't contain "${part}"`),
    ...lacks.filter(has).map((part) => `It contains "${part}"`),
    ...(pattern === undefined || matches(pattern, answer) ? [] : [`It doesn't match ${pattern}`]),
    ...(problem ? [problem] : []),
    ...(documentId === undefined || cited.includes(documentId) ? [] : ["It doesn't cite the document"]),
  ];
}
