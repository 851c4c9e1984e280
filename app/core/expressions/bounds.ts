import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { AppError } from "~/core/errors";

/** Maximum length of a text or of bytes that goes into a function. */
const MAX_INPUT = 4_000_000;
const MAX_ITEMS = 100_000;

interface Bound {
  /** Of a text or bytes. */
  length: number;
  /** Total length of the texts in a list. */
  total: number;
}

/** A time limit can't interrupt the language's own functions, so their inputs are bounded by these CEL functions. */
const BOUNDS = {
  limited: { length: MAX_INPUT, total: Number.POSITIVE_INFINITY },
  /** The language's pattern for durations takes cubic time. */
  limitedDuration: { length: 40, total: MAX_INPUT },
  /** A search takes up to the product of both lengths. */
  limitedSearch: { length: 200, total: MAX_INPUT },
  /** The result may have one entry per character. */
  limitedSplit: { length: 1_000_000, total: MAX_INPUT },
  /** The result may be six times as long. */
  limitedJson: { length: 1_000_000, total: MAX_INPUT },
  limitedJoin: { length: MAX_INPUT, total: MAX_INPUT },
  /** Stands between any two items. */
  limitedSeparator: { length: 40, total: MAX_INPUT },
} satisfies Record<string, Bound>;

type BoundName = keyof typeof BOUNDS;

/** Inputs with bounds of their own: the receiver, then the arguments. */
const INPUTS: Readonly<Record<string, readonly [receiver: BoundName, argument: BoundName]>> = {
  duration: ["limited", "limitedDuration"],
  contains: ["limited", "limitedSearch"],
  indexOf: ["limited", "limitedSearch"],
  lastIndexOf: ["limited", "limitedSearch"],
  split: ["limitedSplit", "limitedSearch"],
  json: ["limited", "limitedJson"],
  join: ["limitedJoin", "limitedSeparator"],
};

/** Expanded by the parser into other nodes, which are bounded themselves. */
const MACROS = new Set(["has", "map", "filter", "all", "exists", "exists_one", "bind", "or", "orValue"]);

const tooLong = (what: string, limit: number) =>
  new AppError(
    "invalid",
    `A value in the expression has more than ${limit.toLocaleString("en-US")} ${what}, the limit at this place.`,
  );

function assertBounded(value: unknown, { length, total }: Bound): void {
  if (typeof value === "string" && value.length > length) throw tooLong("characters", length);
  if (value instanceof Uint8Array && value.length > length) throw tooLong("bytes", length);
  if (!Array.isArray(value)) return;
  if (value.length > MAX_ITEMS) throw tooLong("items", MAX_ITEMS);
  if (total === Number.POSITIVE_INFINITY) return;
  let sum = 0;
  for (const item of value) if (typeof item === "string") sum += item.length;
  if (sum > total) throw tooLong("characters", total);
}

export function registerBounds(environment: Environment): void {
  for (const [name, bound] of Object.entries(BOUNDS))
    environment.registerFunction(`${name}(A): A`, (value: unknown) => {
      assertBounded(value, bound);
      return value;
    });
}

/** Bounds the inputs of a node's function; for `+` both sides, as texts and lists grow by it. */
export function boundInputs(environment: Environment, node: ASTNode): void {
  const bounded = (name: BoundName, value: ASTNode): ASTNode => {
    if (value.op === "value" && typeof value.args !== "string") return value;
    const call = environment.parse(`${name}(null)`).ast;
    if (call.op === "call") call.args[1][0] = value;
    return call;
  };
  if (node.op === "+") {
    const [left, right] = node.args;
    node.args[0] = bounded("limited", left);
    node.args[1] = bounded("limited", right);
  }
  if (node.op !== "call" && node.op !== "rcall") return;
  const [name] = node.args;
  if (MACROS.has(name)) return;
  const [receiver, argument] = (Object.hasOwn(INPUTS, name) && INPUTS[name]) || ["limited", "limited"];
  const inputs = node.op === "call" ? node.args[1] : node.args[2];
  for (const [index, input] of inputs.entries()) inputs[index] = bounded(argument as BoundName, input);
  if (node.op === "rcall") node.args[1] = bounded(receiver as BoundName, node.args[1]);
}
