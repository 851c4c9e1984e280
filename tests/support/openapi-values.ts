import fc, { type Arbitrary } from "fast-check";

export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

/** Values that a field of this name is likely to have: with them a call gets further than its schema. */
export type Hints = (name: string) => readonly unknown[];

const ODD = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udc00\ud800",
  "\u202eabc",
  "e\u0301\u0301\u0301",
  "👩‍👩‍👧‍👦",
  "ﷺ",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "%00",
  "-1",
  "null",
  "{{1}}",
];

const LONG = 3000;
const DEEP = 800;

const MAX_ITEMS = 3;
const MAX_LENGTH = 60;

function patternString(pattern: string): Arbitrary<string> {
  const expression = new RegExp(pattern, "u");
  // Assertions can't be generated, and of classes of letters each would be listed: plain texts fit these patterns, too.
  if (/\(\?[=!<]|\\p/i.test(pattern))
    return fc
      .oneof(fc.string({ maxLength: 20 }), fc.constantFrom("", "https://nobody.invalid"))
      .map((text) => (expression.test(text) ? text : `a${text.replaceAll(/\W/g, "")}`))
      .filter((text) => expression.test(text));
  return fc.stringMatching(expression, { size: "small" });
}

function stringOf({ format, pattern, minLength = 0, maxLength }: Schema): Arbitrary<string> {
  if (format === "date-time")
    return fc
      .date({ min: new Date("2000-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === "date")
    return fc
      .date({ min: new Date("2000-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
  if (pattern) return patternString(pattern);
  const max = Math.max(minLength, Math.min(maxLength ?? MAX_LENGTH, MAX_LENGTH));
  return fc.oneof(
    fc.string({ minLength, maxLength: max }),
    // No name ends in it, so no call leaves the machine.
    ...(max >= 30 ? [fc.constant("https://nobody.invalid/path")] : []),
  );
}

function numberOf(schema: Schema, isInteger: boolean): Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const step = isInteger ? 1 : Number.EPSILON;
  const min = minimum ?? (exclusiveMinimum === undefined ? -1000 : exclusiveMinimum + step);
  const max = maximum ?? (exclusiveMaximum === undefined ? Math.max(min, 1000) : exclusiveMaximum - step);
  return isInteger
    ? fc.integer({ min: Math.ceil(Math.max(min, -(2 ** 31))), max: Math.floor(Math.min(max, 2 ** 31 - 1)) })
    : fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
}

function objectOf(schema: Schema, hints: Hints): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, validValue(property, hints, name)]),
  );
  const requiredKeys = required.filter((name) => name in fields);
  const least = Object.fromEntries(requiredKeys.map((name) => [name, fields[name] as Arbitrary<unknown>]));
  // With every second optional field a large call would never be carried out.
  const known = fc.oneof(fc.record(least), fc.record(fields, { requiredKeys }));
  if (typeof additionalProperties !== "object") return known;
  const names = propertyNames ? validValue(propertyNames, hints) : fc.string({ minLength: 1, maxLength: 20 });
  const more = fc.dictionary(
    names.map((name) => String(name)),
    validValue(additionalProperties, hints),
    { maxKeys: MAX_ITEMS, noNullPrototype: true },
  );
  return fc.tuple(more, known).map(([others, own]) => ({ ...others, ...own }));
}

function plainValue(schema: Schema, hints: Hints, name: string): Arbitrary<unknown> {
  const { type, items = {}, minItems = 0, maxItems = MAX_ITEMS } = schema;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return fc.oneof(...several.map((one) => validValue(one, hints, name)));
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((one) => validValue(one, hints, name)))
      .map((values) => Object.assign({}, ...values) as unknown);
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => validValue({ ...schema, type: one }, hints, name)));
  switch (type) {
    case "string":
      return stringOf(schema);
    case "integer":
      return numberOf(schema, true);
    case "number":
      return numberOf(schema, false);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(validValue(items, hints, name), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, MAX_ITEMS)),
      });
    case "object":
      return objectOf(schema, hints);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** What the schema allows. */
export function validValue(schema: Schema, hints: Hints, name = ""): Arbitrary<unknown> {
  const plain = plainValue(schema, hints, name);
  if (schema.type !== "string" || schema.enum) return plain;
  // When it is generated, since calls before may have made what it names.
  return fc.tuple(plain, fc.boolean(), fc.nat()).map(([value, isHint, at]) => {
    const likely = hints(name);
    return isHint && likely.length > 0 ? likely[at % likely.length] : value;
  });
}

const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const wrong: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 2 ** 53, 0.1, [], {}, [[]], "x".repeat(LONG), ...ODD),
  fc.constant(0).map(() => deep(DEEP)),
  fc.string({ unit: "binary", maxLength: 20 }),
);

type Place = { parent: Record<string, unknown>; key: string };

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
}

/** A value with one thing wrong: a field that is missing, unknown or of another kind, or a whole of another kind. */
export function spoiled(valid: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc
    .tuple(valid, fc.nat(), fc.constantFrom("remove", "replace", "replace", "add", "whole"), wrong)
    .map(([value, at, change, other]) => {
      const root = { value: structuredClone(value) };
      const places = placesIn(root);
      const { parent, key } = places[change === "whole" ? 0 : at % places.length] as Place;
      const target = parent[key];
      if (change === "remove" && parent !== root) delete parent[key];
      else if (change === "add" && typeof target === "object" && target !== null && !Array.isArray(target))
        Object.assign(target, { unknown_field: other });
      else parent[key] = other;
      return root.value;
    });
}

/** Text of a parameter in an address that no schema expects. */
export const spoiledText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD, "x".repeat(LONG)),
  fc.string({ unit: "binary", maxLength: 20 }),
);

/** Bodies that aren't the JSON of anything. */
export const spoiledBody: Arbitrary<string> = fc.constantFrom(
  "",
  "null",
  "[]",
  "{",
  '{"a":1,"a":2}',
  '"\\ud800"',
  "NaN",
  "\ufeff{}",
  "[".repeat(100_000),
  '{"a":'.repeat(5000),
);
