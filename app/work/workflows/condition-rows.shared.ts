/** Rows that a condition can have. */
export const MAX_ROWS = 20;

interface ConditionRow {
  field: string;
  operator: string;
  value: string;
}

/** Form rows equivalent to an expression. */
export interface ConditionRows {
  /** Whether all rows must be true, or any of them. */
  match: "all" | "any";
  rows: ConditionRow[];
}

/** Form names of a row's fields, such as `field0`: form names can't nest deeper. */
const ROW_FIELDS = ["field", "operator", "value"] as const;
export const CONDITION_FIELDS: readonly string[] = [
  "match",
  ...Array.from({ length: MAX_ROWS }, (_, at) => ROW_FIELDS.map((name) => `${name}${at}`)).flat(),
];

/** The rows of a sent form; a browser sends each row's operator. */
export function rowsFromForm(submitted: Readonly<Record<string, unknown>>): ConditionRows {
  const text = (name: string) => (typeof submitted[name] === "string" ? submitted[name] : "");
  const rows = Array.from({ length: MAX_ROWS }, (_, at) => ({
    field: text(`field${at}`),
    operator: text(`operator${at}`),
    value: text(`value${at}`),
  }));
  return {
    match: submitted.match === "any" ? "any" : "all",
    rows: rows.filter(({ operator }) => operator !== ""),
  };
}

/** Operators by their name in the form. */
export const OPERATORS = [
  { name: "==", label: "is" },
  { name: "!=", label: "is not" },
  { name: ">", label: "is more than" },
  { name: ">=", label: "is at least" },
  { name: "<", label: "is less than" },
  { name: "<=", label: "is at most" },
  { name: "contains", label: "contains" },
  { name: "startsWith", label: "starts with" },
  { name: "endsWith", label: "ends with" },
  { name: "empty", label: "is empty" },
  { name: "filled", label: "is not empty" },
] as const;

export const NEW_ROW: ConditionRow = { field: "", operator: "==", value: "" };

const PATH = "[A-Za-z_]\\w*(?:\\.\\??[A-Za-z_]\\w*|\\[\\d+\\])*";
/** Values written without quotes: numbers, constants, and names of the run's data. */
const PLAIN =
  /^(?:-?\d+(?:\.\d+)?|true|false|null|index|last|(?:trigger|steps|item|last|run|workflow)(?:\.\w+|\[\d+\])+)$/;
const COMPARISON = new RegExp(`^(${PATH}) (==|!=|>=|<=|>|<) (.+)$`);
const CALL = new RegExp(`^(${PATH})\\.(contains|startsWith|endsWith)\\((.+)\\)$`);
const SIZE = new RegExp(`^size\\((${PATH})\\) (==|>) 0$`);

const literalOf = (value: string) => (PLAIN.test(value) ? value : JSON.stringify(value));

function rowExpression({ field, operator, value }: ConditionRow): string {
  const name = field.trim();
  if (operator === "empty") return `size(${name}) == 0`;
  if (operator === "filled") return `size(${name}) > 0`;
  if (/^[a-z]/i.test(operator)) return `${name}.${operator}(${JSON.stringify(value)})`;
  return `${name} ${operator} ${literalOf(value.trim())}`;
}

/** The expression of rows; empty if no row names a field. */
export function toExpression({ match, rows }: ConditionRows): string {
  return rows
    .filter(({ field }) => field.trim() !== "")
    .map(rowExpression)
    .join(match === "all" ? " && " : " || ");
}

/** A literal as typed into a row; undefined if a row can't represent it. */
function typedValue(literal: string): string | undefined {
  return PLAIN.test(literal) ? literal : /^"([^"\\]*)"$/.exec(literal)?.[1];
}

function rowOf(text: string): ConditionRow | undefined {
  const [, size, sign] = SIZE.exec(text) ?? [];
  if (size) return { field: size, operator: sign === ">" ? "filled" : "empty", value: "" };
  const [, field, operator, literal] = CALL.exec(text) ?? COMPARISON.exec(text) ?? [];
  const value = literal === undefined ? undefined : typedValue(literal);
  return field && operator && value !== undefined ? { field, operator, value } : undefined;
}

/** The rows equivalent to exactly this expression; undefined if there are none. */
export function toRows(expression: string): ConditionRows | undefined {
  const text = expression.trim();
  if (text === "") return { match: "all", rows: [NEW_ROW] };
  const match = text.includes(" || ") ? "any" : "all";
  const rows = text.split(match === "any" ? " || " : " && ").map(rowOf);
  const whole = { match, rows: rows.filter((row) => row !== undefined) } satisfies ConditionRows;
  return toExpression(whole) === text && whole.rows.length <= MAX_ROWS ? whole : undefined;
}

interface ConditionPart {
  config: Record<string, unknown>;
  /** Rows being edited: an unfinished one has no expression yet. */
  condition?: ConditionRows | undefined;
  /** Whether the expression is edited as text. */
  asText?: boolean | undefined;
}

const expressionOf = ({ config }: ConditionPart) =>
  typeof config.condition === "string" ? config.condition : "";

/** Rows of a part's condition; undefined if it is edited as text. */
export function rowsOf(part: ConditionPart): ConditionRows | undefined {
  return part.asText ? undefined : (part.condition ?? toRows(expressionOf(part)));
}

/** Whether a condition that is edited as text can be edited as rows. */
export const fitsRows = (part: ConditionPart) => toRows(expressionOf(part)) !== undefined;

/** Replaces a part's rows and the expression derived from them. */
export const withRows = <T extends ConditionPart>(part: T, rows: ConditionRows): T => ({
  ...part,
  condition: rows,
  config: { ...part.config, condition: toExpression(rows) },
});

/** Applies a button of the rows; unknown ones are ignored. */
export function editCondition<T extends ConditionPart>(part: T, verb: string, row: number): T {
  const present = rowsOf(part);
  if (verb === "astext") return { ...part, condition: undefined, asText: true };
  if (verb === "asrows") return { ...part, condition: undefined, asText: undefined };
  if (!present) return part;
  const { match, rows } = present;
  if (verb === "addrow") return withRows(part, { match, rows: [...rows, NEW_ROW].slice(0, MAX_ROWS) });
  if (verb === "removerow") return withRows(part, { match, rows: rows.filter((_, at) => at !== row) });
  return part;
}
