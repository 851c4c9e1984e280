import { z } from "zod";

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** Keywords with one schema, a list of them, or schemas by name. */
const ONE = ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"];
const LIST = ["anyOf", "oneOf", "allOf", "prefixItems"];
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const MAX_DEPTH = 50;

interface Problem {
  path: (string | number)[];
  message: string;
}

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function problemWithType(type: unknown): string | undefined {
  const types = Array.isArray(type) ? type : [type];
  const wrong = types.find((one) => typeof one !== "string" || !TYPES.has(one));
  return wrong === undefined && types.length > 0
    ? undefined
    : `${JSON.stringify(wrong ?? type)?.slice(0, 100)} is not a JSON Schema type.`;
}

/** Subschemas with their paths, or the keyword's problem. */
function childrenOf(
  schema: JsonObject,
  key: string,
): { path: (string | number)[]; value: unknown }[] | string {
  const value = schema[key];
  if (value === undefined) return [];
  if (LIST.includes(key) || (key === "items" && Array.isArray(value))) {
    return Array.isArray(value)
      ? value.map((one, index) => ({ path: [key, index], value: one }))
      : "an array";
  }
  if (ONE.includes(key)) return [{ path: [key], value }];
  return isObject(value)
    ? Object.entries(value).map(([name, one]) => ({ path: [key, name], value: one }))
    : "an object";
}

function findProblem(schema: unknown, depth = 0): Problem | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return { path: [], message: "A JSON Schema must be an object." };
  if (depth > MAX_DEPTH)
    return { path: [], message: `The schema is nested more than ${MAX_DEPTH} levels deep.` };
  const type = schema.type === undefined ? undefined : problemWithType(schema.type);
  if (type) return { path: ["type"], message: type };
  const { required } = schema;
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((one) => typeof one === "string"))
  ) {
    return { path: ["required"], message: "It must be an array of property names." };
  }
  if (schema.enum !== undefined && !Array.isArray(schema.enum)) {
    return { path: ["enum"], message: "It must be an array of values." };
  }
  for (const key of [...ONE, ...LIST, ...NAMED]) {
    const children = childrenOf(schema, key);
    if (typeof children === "string") return { path: [key], message: `It must be ${children} of schemas.` };
    for (const child of children) {
      const problem = findProblem(child.value, depth + 1);
      if (problem) return { path: [...child.path, ...problem.path], message: problem.message };
    }
  }
  return undefined;
}

/** The subset of JSON Schema that all providers support. */
export const JsonSchema = z
  .custom<JsonObject>(isObject, "A JSON Schema must be an object.")
  .superRefine((schema, context) => {
    const problem = findProblem(schema);
    if (problem) context.addIssue({ code: "custom", ...problem });
  })
  .meta({ type: "object", description: "A JSON Schema" });

export const ToolParameters = JsonSchema.superRefine((schema, context) => {
  if (schema.type === undefined || [schema.type].flat().includes("object")) return;
  context.addIssue({ code: "custom", path: ["type"], message: 'A tool\'s parameters are an "object".' });
}).meta({ type: "object", description: "A JSON Schema of the type object" });
