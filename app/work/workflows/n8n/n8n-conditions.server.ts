import { z } from "zod";
import { checked, NoCounterpart, type Resolve, toExpression } from "./n8n-values.server";

const MAX_CONDITIONS = 50;

/** Of n8n's If since version 2, and of a rule of its Switch since 3. */
const Filter = z.object({
  combinator: z.enum(["and", "or"]).catch("and").default("and"),
  conditions: z
    .array(
      z.object({
        leftValue: z.unknown(),
        rightValue: z.unknown().optional(),
        operator: z.object({ type: z.string(), operation: z.string() }),
      }),
    )
    .max(MAX_CONDITIONS),
});

const OldConditions = z
  .array(
    z.object({
      value1: z.unknown().optional(),
      operation: z.string().optional(),
      value2: z.unknown().optional(),
    }),
  )
  .max(MAX_CONDITIONS)
  .default([]);

const OldFilter = z.object({
  combineOperation: z.enum(["all", "any"]).catch("all").default("all"),
  conditions: z.object({ string: OldConditions, number: OldConditions, boolean: OldConditions }),
});

/** Operations by their names, of all versions. */
const OPERATIONS: Readonly<Record<string, (left: string, right: string) => string>> = {
  equals: (a, b) => `${a} == ${b}`,
  equal: (a, b) => `${a} == ${b}`,
  notEquals: (a, b) => `${a} != ${b}`,
  notEqual: (a, b) => `${a} != ${b}`,
  contains: (a, b) => `${a}.contains(${b})`,
  notContains: (a, b) => `!${a}.contains(${b})`,
  startsWith: (a, b) => `${a}.startsWith(${b})`,
  endsWith: (a, b) => `${a}.endsWith(${b})`,
  gt: (a, b) => `${a} > ${b}`,
  larger: (a, b) => `${a} > ${b}`,
  gte: (a, b) => `${a} >= ${b}`,
  largerEqual: (a, b) => `${a} >= ${b}`,
  lt: (a, b) => `${a} < ${b}`,
  smaller: (a, b) => `${a} < ${b}`,
  lte: (a, b) => `${a} <= ${b}`,
  smallerEqual: (a, b) => `${a} <= ${b}`,
  true: (a) => `${a} == true`,
  false: (a) => `${a} == false`,
  empty: (a) => `${a} == ""`,
  isEmpty: (a) => `${a} == ""`,
  notEmpty: (a) => `${a} != ""`,
  isNotEmpty: (a) => `${a} != ""`,
};

const TYPES = new Set(["string", "number", "boolean"]);

/** A literal of a number or boolean may be written as text. */
function operand(value: unknown, type: string, resolve: Resolve): string {
  const isLiteral = typeof value === "string" && !value.startsWith("=");
  if (isLiteral && type === "number" && value.trim() !== "" && Number.isFinite(Number(value)))
    return String(Number(value));
  if (isLiteral && type === "boolean" && (value === "true" || value === "false")) return value;
  return toExpression(value, resolve);
}

interface Comparison {
  type: string;
  operation: string;
  left: unknown;
  right: unknown;
}

function compare({ type, operation, left, right }: Comparison, resolve: Resolve): string {
  const write = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
  if (!write || !TYPES.has(type))
    throw new NoCounterpart(`its comparison "${type} ${operation}" has no counterpart`);
  const operands = [
    operand(left, type, resolve),
    right === undefined ? "" : operand(right, type, resolve),
  ] as const;
  return `(${write(...operands)})`;
}

function join(comparisons: readonly Comparison[], all: boolean, resolve: Resolve): string {
  if (comparisons.length === 0) throw new NoCounterpart("it has no condition");
  return checked(comparisons.map((one) => compare(one, resolve)).join(all ? " && " : " || "));
}

/** Translates the conditions of an If, or of a rule of a Switch. @throws NoCounterpart */
export function toCondition(parameters: unknown, resolve: Resolve): string {
  const filter = z.object({ conditions: Filter }).safeParse(parameters).data?.conditions;
  if (filter)
    return join(
      filter.conditions.map(({ leftValue: left, rightValue: right, operator }) => ({
        ...operator,
        left,
        right,
      })),
      filter.combinator === "and",
      resolve,
    );
  const old = OldFilter.safeParse(parameters).data;
  if (!old) throw new NoCounterpart("its conditions can't be read");
  const comparisons = Object.entries(old.conditions).flatMap(([type, conditions]) =>
    conditions.map(
      ({ value1: left, value2: right, operation = type === "number" ? "smaller" : "equal" }) => ({
        type,
        operation,
        left,
        right,
      }),
    ),
  );
  return join(comparisons, old.combineOperation === "all", resolve);
}
