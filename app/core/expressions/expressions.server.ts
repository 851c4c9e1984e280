import { type ASTNode, Environment, type ParseResult, serialize } from "@marcbachmann/cel-js";
import { AppError } from "~/core/errors";
import { runWithTimeLimit } from "~/core/time-limit.server";
import { boundInputs, registerBounds } from "./bounds";

/** In characters. */
const MAX_LENGTH = 4000;
/** Maximum number of expressions in a text. */
const MAX_EXPRESSIONS = 200;
/** Time limit of all expressions of a step (ms). */
const TIME_LIMIT = 200;
/** Maximum size of their results, in characters. */
const MAX_RESULT = 8_000_000;
const LIMITS = {
  maxAstNodes: 500,
  maxDepth: 40,
  maxListElements: 200,
  maxMapEntries: 200,
  maxCallArguments: 32,
};
const LOOPS = new Set(["map", "filter", "all", "exists", "exists_one"]);
const MAX_LOOP_DEPTH = 2;

export type Scope = Readonly<Record<string, unknown>>;

/** `item` is set only within For Each, `last` within While, and `index` within both. */
const VARIABLES = {
  trigger: "The data that started the run",
  steps: "Outputs of earlier steps by their ids",
  run: "Id and start time of the run",
  workflow: "Id and name of the workflow",
  item: "The current item of For Each",
  index: "Index of the current item or round, from 0",
  last: "Output of the round of While before this one",
};

function refusal(message: string): AppError {
  return new AppError("invalid", message);
}

const asText = (value: unknown) => (value === null ? "" : String(value));

function makeEnvironment(): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: LIMITS,
  });
  for (const [name, description] of Object.entries(VARIABLES))
    environment.registerVariable(name, "dyn", { description });
  // CEL doesn't mix JSON's doubles with int literals.
  const operations: Record<string, (a: number, b: number) => number> = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => a / b,
    "%": (a, b) => a % b,
  };
  for (const [operator, compute] of Object.entries(operations)) {
    const mixed = (a: number | bigint, b: number | bigint) => compute(Number(a), Number(b));
    environment.registerOperator(`double ${operator} int`, mixed);
    environment.registerOperator(`int ${operator} double`, mixed);
  }
  environment.registerOperator("double % double", (a: number, b: number) => a % b);
  for (const type of ["int", "double", "bool"]) {
    environment.registerOperator(`string + ${type}`, (a: string, b: unknown) => a + asText(b));
    environment.registerOperator(`${type} + string`, (a: unknown, b: string) => asText(a) + b);
  }
  environment.registerFunction("list.sum(): double", (list: unknown[]) =>
    list.reduce<number>((sum, value) => sum + (typeof value === "object" ? Number.NaN : Number(value)), 0),
  );
  environment.registerFunction("json(dyn): string", (value: unknown) => JSON.stringify(plain(value)));
  registerBounds(environment);
  return environment;
}

let environment: Environment | undefined;

/** Checks an expression's functions and loops, and bounds the inputs of functions. @param steps receives step ids */
function walk(environment: Environment, node: ASTNode, loops: number, steps: Set<string>): void {
  const { op } = node;
  let depth = loops;
  if (op === "call" || op === "rcall") {
    const name = node.args[0];
    // A JavaScript regular expression can run for an unbounded time.
    if (name === "matches")
      throw refusal("matches() isn't available. Use contains(), startsWith() or endsWith().");
    if (op === "rcall" && LOOPS.has(name)) {
      depth += 1;
      if (depth > MAX_LOOP_DEPTH) throw refusal(`Loops can be nested ${MAX_LOOP_DEPTH} deep.`);
    }
  }
  if (op === "[]" || op === "[?]") {
    const [base, key] = node.args;
    const isStep = base.op === "id" && base.args === "steps";
    if (isStep && key.op === "value" && typeof key.args === "string") steps.add(key.args);
  }
  if ((op === "." || op === ".?") && node.args[0].op === "id" && node.args[0].args === "steps")
    steps.add(node.args[1]);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (typeof value === "object" && value !== null && "op" in value && "args" in value)
      walk(environment, value as ASTNode, depth, steps);
  };
  visit(node.args);
  boundInputs(environment, node);
}

interface Compiled {
  evaluate: ParseResult;
  isReference: boolean;
  steps: ReadonlySet<string>;
}

const compiled = new Map<string, Compiled>();
const MAX_CACHED = 2000;

const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 300) ?? "";

function compile(source: string): Compiled {
  const cached = compiled.get(source);
  if (cached) return cached;
  if (source.trim() === "") throw refusal("The expression is empty.");
  if (source.length > MAX_LENGTH)
    throw refusal(`The expression has more than ${MAX_LENGTH.toLocaleString("en-US")} characters.`);
  environment ??= makeEnvironment();
  let evaluate: ParseResult;
  try {
    evaluate = environment.parse(source);
  } catch (error) {
    throw refusal(firstLine(error));
  }
  const steps = new Set<string>();
  // Before `walk`, which adds calls that bound inputs.
  const readsOnly = isReference(evaluate.ast);
  walk(environment, evaluate.ast, 0, steps);
  const check = evaluate.check();
  if (!check.valid) throw refusal(firstLine(check.error));
  if (compiled.size >= MAX_CACHED) compiled.clear();
  const expression = { evaluate, isReference: readsOnly, steps };
  compiled.set(source, expression);
  return expression;
}

/** Whether an expression only reads a value. */
const isReference = ({ op, args }: ASTNode): boolean =>
  op === "id" ||
  op === "value" ||
  (op === "." && isReference(args[0])) ||
  (op === "[]" && isReference(args[0]) && isReference(args[1]));

interface Budget {
  /** Remaining size of results, in characters. */
  size: number;
  /** Remaining expressions that only read a value. */
  references: number;
  isTimed: boolean;
}

let budget: Budget | undefined;

/** What a few references take is over within a millisecond; a time limit takes a thread. */
const UNTIMED: Budget = { size: 100_000, references: 20, isTimed: false };
const TIMED: Budget = { size: MAX_RESULT, references: Number.POSITIVE_INFINITY, isTimed: true };
const NEEDS_TIME = new Error("These expressions need a time limit.");

/**
 * Runs work whose expressions share one limit of time and size. The work must be synchronous and repeatable.
 * @throws AppError `invalid` if it exceeds the limit
 */
export function withinBudget<T>(work: () => T): T {
  if (budget) return work();
  const workWith = (limits: Budget) => {
    budget = { ...limits };
    return work();
  };
  try {
    return workWith(UNTIMED);
  } catch (error) {
    if (error !== NEEDS_TIME) throw error;
    const result = runWithTimeLimit(() => workWith(TIMED), TIME_LIMIT);
    if (result) return result.value;
  } finally {
    budget = undefined;
  }
  // An interrupted evaluation may have left its state in them.
  compiled.clear();
  throw refusal(`The expressions took longer than ${TIME_LIMIT} ms.`);
}

function countReference({ isReference }: Compiled): void {
  if (!budget || budget.isTimed) return;
  budget.references -= 1;
  if (!isReference || budget.references < 0) throw NEEDS_TIME;
}

function spend(size: number): void {
  if (!budget) return;
  budget.size -= size;
  if (budget.size >= 0) return;
  if (!budget.isTimed) throw NEEDS_TIME;
  throw refusal(
    `The results of the expressions are larger than ${MAX_RESULT.toLocaleString("en-US")} characters.`,
  );
}

/** Converts CEL's value to JSON's, within the budget. */
function plain(value: unknown): unknown {
  spend(typeof value === "string" ? value.length : 4);
  if (typeof value === "bigint") return Number(value);
  if (value === undefined || typeof value === "function") return null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, one]) => [String(plain(key)), plain(one)]));
  if ("hasValue" in value && typeof value.hasValue === "function")
    return value.hasValue() ? plain((value as unknown as { value(): unknown }).value()) : null;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      spend(key.length);
      return [key, plain(one)];
    }),
  );
}

/** Evaluates an expression. @throws AppError `invalid` with a message for the user */
export function evaluateExpression(source: string, scope: Scope): unknown {
  return withinBudget(() => {
    const expression = compile(source);
    countReference(expression);
    try {
      return plain(expression.evaluate({ item: null, index: null, ...scope }));
    } catch (error) {
      if (error instanceof AppError || error === NEEDS_TIME) throw error;
      throw refusal(`${firstLine(error)} in "${source.slice(0, 120)}"`);
    }
  });
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Replaces a text's expressions; a text that is one expression keeps its value's type. @throws AppError `invalid` */
export function fillTemplate(source: string, scope: Scope): unknown {
  if (!source.includes("{{")) return source;
  const parts = splitParts(source);
  const [only] = parts;
  if (parts.length === 1 && only && "expression" in only) return evaluateExpression(only.expression, scope);
  return withinBudget(() =>
    parts
      .map((part) => {
        const text = "text" in part ? part.text : toText(evaluateExpression(part.expression, scope));
        spend(text.length);
        return text;
      })
      .join(""),
  );
}

function splitParts(source: string): TemplatePart[] {
  const parts = splitTemplate(source);
  if (parts.filter((part) => "expression" in part).length > MAX_EXPRESSIONS)
    throw refusal(`A text can have at most ${MAX_EXPRESSIONS} expressions.`);
  return parts;
}

/** Checks an expression. @returns the referenced step ids @throws AppError `invalid` */
export function checkExpression(source: string): ReadonlySet<string> {
  return compile(source).steps;
}

/** Checks a text's expressions, as `checkExpression` does. @returns the step ids that they reference */
export function checkTemplate(source: string): ReadonlySet<string> {
  const steps = new Set<string>();
  if (!source.includes("{{")) return steps;
  for (const part of splitParts(source))
    if ("expression" in part) for (const id of checkExpression(part.expression)) steps.add(id);
  return steps;
}

/** A literal's value, else a text with its expression; undefined if the literal would itself be read as a template. */
function templateOf(node: ASTNode): unknown {
  if (node.op !== "value") return `{{ ${serialize(node)} }}`;
  const value: unknown = node.args;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  if (typeof value === "string") return value.includes("{{") ? undefined : value;
  return ["number", "boolean"].includes(typeof value) ? value : undefined;
}

/** An expression that is a map, with its members as texts that give the same values; undefined for any other. */
export function readMap(source: string): Record<string, unknown> | undefined {
  let ast: ASTNode;
  try {
    checkExpression(source);
    environment ??= makeEnvironment();
    ast = environment.parse(source).ast;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
  if (ast.op !== "map") return undefined;
  const members = (ast.args as [ASTNode, ASTNode][]).map(([key, value]) => [key.args, templateOf(value)]);
  const isWhole = members.every(([name, value]) => typeof name === "string" && value !== undefined);
  return isWhole ? Object.fromEntries(members) : undefined;
}

export function describeExpressions(): { variables: { name: string; description: string }[] } {
  return {
    variables: Object.entries(VARIABLES).map(([name, description]) => ({ name, description })),
  };
}

type TemplatePart = { text: string } | { expression: string };

/** Position after a quoted string that begins at `at`. Handles CEL's quotes, triple quotes and raw strings. */
function skipString(source: string, at: number): number {
  const quote = source[at] as string;
  const raw = /[rR]/.test(source[at - 1] ?? "");
  const triple = source.startsWith(quote.repeat(3), at);
  const end = triple ? quote.repeat(3) : quote;
  let position = at + end.length;
  while (position < source.length) {
    if (!raw && source[position] === "\\") position += 2;
    else if (source.startsWith(end, position)) return position + end.length;
    else position += 1;
  }
  return position;
}

function findEnd(source: string, from: number): number {
  let depth = 0;
  let position = from;
  while (position < source.length) {
    const character = source[position];
    if (character === '"' || character === "'") {
      position = skipString(source, position);
      continue;
    }
    if (depth === 0 && source.startsWith("}}", position)) return position;
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    position += 1;
  }
  return -1;
}

/** Splits a text at its `{{ … }}`, ignoring `}}` in strings and maps. @throws AppError for an unclosed `{{` */
function splitTemplate(source: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let position = 0;
  for (let begin = source.indexOf("{{"); begin !== -1; begin = source.indexOf("{{", position)) {
    if (begin > position) parts.push({ text: source.slice(position, begin) });
    const end = findEnd(source, begin + 2);
    if (end === -1) throw refusal("A {{ has no matching }}.");
    parts.push({ expression: source.slice(begin + 2, end).trim() });
    position = end + 2;
  }
  if (position < source.length) parts.push({ text: source.slice(position) });
  return parts;
}
