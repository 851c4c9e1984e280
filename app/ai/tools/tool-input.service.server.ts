import type { ValidateFunction } from "ajv";
import { ZodType, z } from "zod";
import { now } from "~/core/clock.server";
import { MINUTE } from "~/core/durations";
import { AppError } from "~/core/errors";
import { describeIssue } from "~/core/parse";
import { runWithTimeLimit } from "~/core/time-limit.server";
import type { JsonSchema, Tool } from "./tool.shared";

export function inputSchemaOf({ input }: Pick<Tool, "input">): JsonSchema {
  if (!(input instanceof ZodType)) return input;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
}

type Checked = Pick<Tool, "input" | "isCheckedByServer">;

async function problemsOf(tool: Checked, input: unknown): Promise<{ problems: string[]; parsed?: unknown }> {
  if (!(tool.input instanceof ZodType)) {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return { problems: ["input: must be an object"] };
    }
    try {
      return { problems: await checkJsonInput(tool.input, input), parsed: input };
    } catch (error) {
      if (!tool.isCheckedByServer || !(error instanceof AppError)) throw error;
      return { problems: [], parsed: input };
    }
  }
  const result = tool.input.safeParse(input, { error: describeIssue });
  if (result.success) return { problems: [], parsed: result.data };
  const problems = result.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
  return { problems };
}

/** @throws AppError `invalid` with the problem */
export async function parseToolInput(tool: Checked, input: unknown): Promise<unknown> {
  const { problems, parsed } = await problemsOf(tool, input);
  if (problems.length === 0) return parsed;
  throw new AppError("invalid", `The input is not valid: ${problems.join("; ")}`);
}

// Plugins' schemas are untrusted: they may be huge, deep or slow (backtracking patterns, doubling `$ref`s), which
// inspection can't bound.

/** Characters of a schema's JSON. */
const SIZE_LIMIT = 100_000;
const DEPTH_LIMIT = 40;
const REFS_LIMIT = 200;
/** Time limits (ms). */
const COMPILE_TIME = 500;
const CHECK_TIME = 100;
/** Compiled schemas kept per process. */
const MAX_CACHED = 500;

const DRAFTS: Record<string, "2020" | "7" | undefined> = {
  "https://json-schema.org/draft/2020-12/schema": "2020",
  "http://json-schema.org/draft-07/schema": "7",
};
/** They change where `$ref` leads. */
const REFUSED = new Set(["$id", "$dynamicRef", "$recursiveRef", "$vocabulary"]);

function refuse(reason: string): never {
  throw new AppError("invalid", `The tool's input schema can't be used: ${reason}.`);
}

function assertBounded(schema: JsonSchema): void {
  let refs = 0;
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null) return;
    if (depth > DEPTH_LIMIT) refuse(`it is nested more than ${DEPTH_LIMIT} levels deep`);
    for (const [key, child] of Object.entries(value)) {
      // As property names they are objects or booleans.
      if (REFUSED.has(key) && typeof child === "string") refuse(`${key} is not supported`);
      if (key === "$ref" && typeof child === "string") {
        refs += 1;
        if (!child.startsWith("#")) refuse("a $ref may only lead to a part of the schema itself");
      }
      walk(child, depth + 1);
    }
  };
  walk(schema, 0);
  if (refs > REFS_LIMIT) refuse(`it has more than ${REFS_LIMIT} references`);
  if (JSON.stringify(schema).length > SIZE_LIMIT) refuse("it is too long");
}

/** @throws AppError with the reason if the schema can't be compiled here */
function draftOf(schema: JsonSchema): Draft {
  assertBounded(schema);
  const { $schema, $async } = schema;
  // It returns a promise instead of a result.
  if ($async !== undefined) refuse("it is asynchronous");
  const draft = typeof $schema === "string" ? DRAFTS[$schema.replace(/#$/, "")] : "2020";
  return draft ?? refuse(`JSON Schema of the version ${String($schema).slice(0, 200)} is not supported`);
}

/** Why inputs can't be checked by the schema, as far as reading it tells; compiling may fail for other reasons. */
export function explainUncheckable(schema: JsonSchema): string | undefined {
  try {
    draftOf(schema);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Keywords that hold values, not schemas. */
const VALUES = new Set(["const", "default", "enum", "examples"]);
/** Keywords that hold schemas by names, which may be those of keywords. */
const NAMED = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mapMembers = (object: object, change: (name: string, value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]));

/**
 * Generators such as zod list each member with a default as required, though the server fills it in. What the input
 * lacks stays absent: only the server knows its default for certain.
 */
function withoutDefaulted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withoutDefaulted(one));
  if (!isObject(schema)) return schema;
  const relaxed = mapMembers(schema, (keyword, value) => {
    if (VALUES.has(keyword)) return value;
    const isNamed = NAMED.has(keyword) && isObject(value);
    return isNamed ? mapMembers(value, (_, named) => withoutDefaulted(named)) : withoutDefaulted(value);
  });
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return relaxed;
  const hasDefault = (name: unknown) => {
    const member = typeof name === "string" && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(member) && Object.hasOwn(member, "default");
  };
  return { ...relaxed, required: required.filter((name) => !hasDefault(name)) };
}

type Draft = "2020" | "7";
type AjvClass = typeof import("ajv").Ajv;

interface Compiler {
  Ajv: AjvClass;
  /** The draft's meta-schema; shared, as it compiles nothing else. */
  meta: InstanceType<AjvClass>;
}

const OPTIONS = {
  strict: false,
  ownProperties: true,
  validateFormats: false,
  inlineRefs: false,
  logger: false,
} as const;

async function load(draft: Draft): Promise<Compiler> {
  // CommonJS: only the default export survives bundling.
  const { default: Ajv } = draft === "7" ? await import("ajv") : await import("ajv/dist/2020.js");
  const meta = new Ajv(OPTIONS);
  // Compiles the meta-schema outside the time limit.
  meta.validateSchema({});
  return { Ajv, meta };
}

/** Filled when a schema of the draft is first used, as built-in tools need none. */
const compilers = new Map<Draft, Promise<Compiler>>();

function compilerOf(draft: Draft): Promise<Compiler> {
  const compiler = compilers.get(draft) ?? load(draft);
  compilers.set(draft, compiler);
  return compiler;
}

function compileWith({ Ajv, meta }: Compiler, schema: JsonSchema): ValidateFunction {
  if (!meta.validateSchema(schema)) throw new Error(meta.errorsText(meta.errors));
  // One per schema, as an instance keeps what it compiled; inlined references multiply code.
  return new Ajv({ ...OPTIONS, meta: false, validateSchema: false }).compile(schema);
}

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const compiler = await compilerOf(draftOf(schema));
  try {
    const relaxed = withoutDefaulted(schema) as JsonSchema;
    const validate = runWithTimeLimit(() => compileWith(compiler, relaxed), COMPILE_TIME);
    return validate ? validate.value : refuse("it takes too long to read");
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      "invalid",
      `The tool's input schema is not valid JSON Schema: ${String((error as Error).message).slice(0, 300)}`,
      { cause: error },
    );
  }
}

/** A refusal isn't repeated for so long (ms), as the schema may take all its time to compile, and the machine may have been busy. */
const REFUSED_FOR = 10 * MINUTE;

interface Compiled {
  validator: Promise<ValidateFunction>;
  /** Compiled again from then on. */
  until: number;
}

const compiled = new Map<string, Compiled>();

function validatorOf(schema: JsonSchema): Promise<ValidateFunction> {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known && now() < known.until) return known.validator;
  if (compiled.size >= MAX_CACHED) compiled.clear();
  const entry: Compiled = { validator: compile(schema), until: Number.POSITIVE_INFINITY };
  compiled.set(key, entry);
  entry.validator.catch((error: unknown) => {
    // What isn't the schema's fault is tried again at once.
    entry.until = error instanceof AppError ? now() + REFUSED_FOR : 0;
  });
  return entry.validator;
}

/**
 * Up to five problems as "path: message". `format` and defaults are annotations.
 * @throws AppError `invalid` for a bad schema
 */
export async function checkJsonInput(schema: JsonSchema, input: unknown): Promise<string[]> {
  const validate = await validatorOf(schema);
  const valid = runWithTimeLimit(() => validate(input), CHECK_TIME);
  if (!valid) return ["input: checking it takes too long"];
  if (valid.value) return [];
  return (validate.errors ?? []).slice(0, 5).map(({ instancePath, message }) => {
    const path = instancePath.slice(1).replaceAll("/", ".");
    return `${path || "input"}: ${message ?? "not valid"}`;
  });
}
