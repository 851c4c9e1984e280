import type { AnswerContent, QuestionField } from "./question.schema";

// Without zod: screens load it.

/** Of one call of a tool. */
export const MAX_QUESTIONS = 5;
/** Values that one question can ask for. */
export const MAX_FIELDS = 30;
/** How long a question waits for its answer, in minutes. */
export const QUESTION_MINUTES = 10;

export type ControlName = `field-${number}`;

/** The control's name in a form. The field's own comes from outside, and could be any text. */
export const controlName = (at: number): ControlName => `field-${at}`;

const isBlank = (value: unknown) =>
  value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

function typedValue({ kind }: QuestionField, texts: readonly string[]): unknown {
  const text = (texts[0] ?? "").trim();
  switch (kind) {
    case "boolean":
      return texts.length > 0;
    case "choices":
      return [...texts];
    case "number":
    case "integer":
      return text === "" || Number.isNaN(Number(text)) ? text : Number(text);
    case "choice":
      // A choice is the server's own text, blanks included.
      return texts[0] ?? "";
    default:
      return text;
  }
}

/** A form's values by the names of the fields, without those left blank. @param textsOf the values of a control */
export function contentOf(
  fields: readonly QuestionField[],
  textsOf: (control: string) => readonly string[],
): Record<string, unknown> {
  const entries = fields.map(
    (field, at) => [field.name, typedValue(field, textsOf(controlName(at)))] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => !isBlank(value)));
}

/** Local part and domain; whether a mailbox exists, only its server knows. */
const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,190}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

function isDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}

const FORMATS: Readonly<
  Record<NonNullable<QuestionField["format"]>, readonly [(text: string) => boolean, string]>
> = {
  email: [(text) => EMAIL.test(text), "Enter an email address"],
  uri: [(text) => URL.canParse(text), "Enter an address such as https://example.org"],
  date: [(text) => DATE.test(text) && isDay(text), "Enter a date such as 2026-03-31"],
  "date-time": [
    (text) => DATE_TIME.test(text) && isDay(text) && !Number.isNaN(Date.parse(text)),
    "Enter a date and time with its offset, such as 2026-03-31T14:30:00Z",
  ],
};

const shown = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 10 });

/** Bounds in words, or undefined if the figure is within. */
function outOf({ min, max }: QuestionField, value: number, unit: string): string | undefined {
  const isLow = min !== undefined && value < min;
  const isHigh = max !== undefined && value > max;
  if (!isLow && !isHigh) return undefined;
  if (min !== undefined && max !== undefined)
    return min === max ? `exactly ${shown(min)}${unit}` : `${shown(min)} to ${shown(max)}${unit}`;
  return isLow ? `at least ${shown(min ?? 0)}${unit}` : `at most ${shown(max ?? 0)}${unit}`;
}

function textProblem(field: QuestionField, value: unknown): string | undefined {
  if (typeof value !== "string") return "Enter text";
  const bounds = outOf(field, [...value].length, " characters");
  if (bounds) return `Use ${bounds}`;
  const [fits, message] = field.format ? FORMATS[field.format] : [() => true, ""];
  return fits(value) ? undefined : message;
}

function numberProblem(field: QuestionField, value: unknown): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "Enter a number";
  if (field.kind === "integer" && !Number.isSafeInteger(value)) return "Enter a whole number";
  const bounds = outOf(field, value, "");
  return bounds && `Enter a number: ${bounds}`;
}

function choicesProblem(field: QuestionField, value: unknown): string | undefined {
  const values = new Set(field.options?.map((option) => option.value));
  if (!Array.isArray(value) || !value.every((one) => values.has(one))) return "Choose from the list";
  if (new Set(value).size < value.length) return "Choose each option once";
  const bounds = outOf(field, value.length, "");
  return bounds && `Choose ${bounds}`;
}

const missing = ({ kind }: QuestionField) =>
  kind.startsWith("choice") ? "Choose an option" : "Enter a value";

function valueProblem(field: QuestionField, value: unknown): string | undefined {
  switch (field.kind) {
    case "text":
      return textProblem(field, value);
    case "number":
    case "integer":
      return numberProblem(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "Choose true or false";
    case "choice":
      return field.options?.some((option) => option.value === value) ? undefined : "Choose from the list";
    case "choices":
      return choicesProblem(field, value);
  }
}

/**
 * Takes what the fields allow and nothing else.
 * @returns the content, or a message by the position of each field that doesn't fit
 */
export function checkContent(
  fields: readonly QuestionField[],
  given: Readonly<Record<string, unknown>>,
): { content: AnswerContent } | { problems: Map<number, string> } {
  const problems = new Map<number, string>();
  const content: [string, unknown][] = [];
  for (const [at, field] of fields.entries()) {
    const { name, kind, required, min = 0 } = field;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const isNone = isBlank(value);
    // A list that must be there, and may be empty.
    if (isNone && required && kind === "choices" && min === 0) content.push([name, []]);
    else if (isNone && required) problems.set(at, missing(field));
    else if (!isNone) {
      const problem = valueProblem(field, value);
      if (problem) problems.set(at, problem);
      else content.push([name, value]);
    }
  }
  return problems.size > 0 ? { problems } : { content: Object.fromEntries(content) as AnswerContent };
}
