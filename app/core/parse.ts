import type { z } from "zod";
import { AppError, type FieldErrors } from "./errors";
import { parseWellFormed } from "./well-formed";

/** @throws AppError `invalid` with a message per field */
export function parseWith<T extends z.ZodType>(schema: T, value: unknown, subject: string): z.infer<T> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  const position = first?.path.length ? ` (${first.path.map(String).join(".")})` : "";
  const message = `The ${subject} is not valid: ${first?.message ?? "unknown reason"}${position}`;
  throw new AppError("invalid", message, { fields: fieldErrorsOf(parsed.error) });
}

export function fieldErrorsOf(error: z.ZodError): FieldErrors {
  const fields = new Map<string, string[]>();
  for (const { path, message } of error.issues) {
    const name = path.map(String).join(".");
    fields.set(name, [...(fields.get(name) ?? []), message]);
  }
  return Object.fromEntries(fields);
}

type Issue = Parameters<z.core.$ZodErrorMap>[0];

const EXPECTED: Readonly<Record<string, string>> = {
  number: "Enter a number",
  int: "Enter a whole number",
  string: "Enter text",
  boolean: "Use true or false",
  array: "Use a list",
  object: "Use an object",
  record: "Use an object",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "Enter an email address",
  url: "Enter an address, such as https://example.com",
  datetime: "Enter a date and time, such as 2026-01-31T09:00:00Z",
  date: "Enter a date, such as 2026-01-31",
};

const UNITS: Readonly<Record<string, string>> = {
  string: "character",
  array: "item",
  set: "item",
  file: "byte",
};

const amount = new Intl.NumberFormat("en-US");

function boundOf(limit: unknown, origin: string): string {
  const number = typeof limit === "number" || typeof limit === "bigint" ? limit : Number(limit);
  const unit = UNITS[origin];
  return `${amount.format(number)}${unit ? ` ${unit}${Number(number) === 1 ? "" : "s"}` : ""}`;
}

function listOf(values: readonly unknown[]): string {
  const texts = values.map((value) => (value === null ? "null" : String(value) || '""'));
  const last = texts.pop() ?? "";
  return texts.length > 0 ? `${texts.join(", ")} or ${last}` : last;
}

/** The message of an issue whose schema has none of its own, in words for a person. */
export function describeIssue(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "This is required";
      return EXPECTED[issue.expected] ?? "This value isn't valid";
    case "too_small":
      return `Use at least ${boundOf(issue.minimum, issue.origin)}`;
    case "too_big":
      return `Use at most ${boundOf(issue.maximum, issue.origin)}`;
    case "invalid_value":
      return `Use ${listOf(issue.values)}`;
    case "not_multiple_of":
      return `Use a multiple of ${issue.divisor}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "This value isn't valid";
    case "unrecognized_keys":
      return `There is no field ${listOf(issue.keys.map((key) => JSON.stringify(key.slice(0, 60))))}`;
    default:
      return "This value isn't valid";
  }
}

/** Whether a content type is JSON's, such as `application/problem+json`. */
export const isJsonType = (contentType: string): boolean => /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType);

const MAX_DEPTH = 64;
/** Parsed values take many times their bytes and are copied between threads. */
const MAX_VALUES = 20_000;

/** For lists from configured servers: OpenRouter's models have about 30,000. */
export const MAX_LIST_VALUES = 200_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Index of the string's closing quotation mark, or the text's length. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

/** Follows JSON piece by piece. @returns says of each code why it is too much, as the rest of a sentence */
export function jsonBounds(maxValues: number): (code: number) => string | undefined {
  let [isString, isEscaped] = [false, false];
  let [values, depth] = [0, 0];
  return (code) => {
    // No string holds a line's end. Beside JSON, as in an event stream's comment, a quotation mark begins none.
    if (code === LINE_FEED || code === CARRIAGE_RETURN) isString = isEscaped = false;
    else if (isEscaped) isEscaped = false;
    else if (isString) {
      if (code === QUOTE) isString = false;
      else isEscaped = code === BACKSLASH;
    } else if (code === QUOTE) isString = true;
    else if (code === COMMA) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`;
    } else if (code === 0x7d || code === 0x5d) depth--;
    return values > maxValues ? `contains more than ${maxValues} values` : undefined;
  };
}

/** @returns why the JSON is too much for the parser, as the rest of a sentence */
export function excessOf(text: string, maxValues: number): string | undefined {
  const check = jsonBounds(maxValues);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    const excess = check(code);
    if (excess) return excess;
  }
  return undefined;
}

/** Of a body that is parsed whole beside it, which takes many times its bytes. */
const MAX_MEMBER_VALUES = 500_000;
/** Of the object itself: each is listed, and schemas look at each one. No API has as many. */
const MAX_MEMBERS = 1000;
const COLON = 0x3a;

export interface Member {
  key: string;
  start: number;
  end: number;
}

function keyOf(raw: string): string {
  return raw.includes("\\") ? String(parseWellFormed(raw)) : raw.slice(1, -1);
}

/**
 * Locates the members of a JSON object without parsing, to change one value and keep every other byte.
 * @throws AppError `invalid` for excessive depth, size or members; SyntaxError for an unreadable key; the parser finds other
 * faults
 */
export function scanMembers(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let values = 0;
  let key: string | undefined;
  let start = -1;
  const close = (end: number) => {
    if (key !== undefined && start >= 0) members.push({ key, start, end });
    if (members.length > MAX_MEMBERS)
      throw new AppError("invalid", `The JSON object has more than ${MAX_MEMBERS} members.`);
    key = undefined;
    start = -1;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1 && key === undefined) key = keyOf(text.slice(at, end + 1));
      at = end;
    } else if (code === COMMA) {
      if (++values > MAX_MEMBER_VALUES)
        throw new AppError("invalid", `The JSON contains more than ${MAX_MEMBER_VALUES} values.`);
      if (depth === 1) close(at);
    } else if (code === COLON) {
      if (depth === 1 && start < 0) start = at + 1;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new AppError("invalid", `The JSON nests deeper than ${MAX_DEPTH} levels.`);
    } else if (code === 0x7d || code === 0x5d) {
      if (depth-- === 1) close(at);
    }
  }
  return members;
}

function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  const { source = "" } = context ?? {};
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

function parseBounded(text: string, maxValues: number, reviver?: typeof keepDigits): unknown {
  const excess = excessOf(text, maxValues);
  if (excess) throw new AppError("invalid", `The JSON ${excess}.`);
  try {
    return parseWellFormed(text, reviver);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid JSON.", { cause: error });
  }
}

/** Makes strings well formed. @throws AppError `invalid` for malformed JSON, more than 64 levels or too many values */
export const parseJson = (text: string, maxValues = MAX_VALUES): unknown => parseBounded(text, maxValues);

/**
 * As `parseJson`, but a whole number beyond 2^53, such as an id of 64 bits, stays as its text: as a number it would be
 * another.
 */
export const parseExactJson = (text: string): unknown => parseBounded(text, MAX_VALUES, keepDigits);

/** @throws AppError `invalid` for malformed UTF-8 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid", "The body is not valid UTF-8.", { cause: error });
  }
}

/** @throws AppError as `parseJson` and `decodeText` */
export const decodeJson = (bytes: Uint8Array): unknown => parseJson(decodeText(bytes));

/** More than any export of 900,000 characters has. */
const MAX_PASTED_VALUES = 100_000;

const refusePasted = (message: string, cause?: unknown) =>
  new AppError("invalid", `${message}.`, { fields: { json: [message] }, cause });

/** Parses what a person pasted as the field `json`. @throws AppError `invalid` */
export function parsePastedJson(json: string, advice = "Paste a complete export"): unknown {
  const excess = excessOf(json, MAX_PASTED_VALUES);
  if (excess) throw refusePasted(`The JSON ${excess}`);
  try {
    return parseWellFormed(json);
  } catch (error) {
    throw refusePasted(`Invalid JSON. ${advice}`, error);
  }
}

/**
 * Validates what `parsePastedJson` returned.
 * @param expected what to paste, for a value of another type
 * @throws AppError `invalid` with the first problem, as the field `json`
 */
export function parsePasted<T extends z.ZodType>(schema: T, value: unknown, expected: string): z.infer<T> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const path = first?.path.map(String).join(".");
  if (path) throw refusePasted(`${path}: ${first?.message}`);
  throw refusePasted(first && first.code !== "invalid_type" ? first.message : expected);
}
