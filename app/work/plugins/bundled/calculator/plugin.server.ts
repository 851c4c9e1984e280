import { z } from "zod";
import { AppError } from "~/core/errors";
import { definePlugin, definePluginTool } from "../../plugin";
import { convert, unitNames } from "./units";

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  cos: Math.cos,
  exp: Math.exp,
  floor: Math.floor,
  ln: Math.log,
  log: Math.log10,
  log2: Math.log2,
  max: (...values) => Math.max(...values),
  min: (...values) => Math.min(...values),
  round: (value = 0, digits = 0) => Number(`${Math.round(Number(`${value}e${digits}`))}e${-digits}`),
  sin: Math.sin,
  sqrt: Math.sqrt,
  tan: Math.tan,
};
const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };

/** Maximum nesting. */
const MAX_DEPTH = 100;
/** A number, name or sign. */
const TOKEN = /\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+|[A-Za-z][A-Za-z0-9]*|\*\*|[-+*/%^(),!])/y;

const invalid = (reason: string) => new AppError("invalid", reason);

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined)
      throw invalid(`Unexpected "${text.slice(at).trim().slice(0, 10)}" at ${at + 1}.`);
    tokens.push(token === "**" ? "^" : token.toLowerCase());
  }
  return tokens;
}

/** By recursive descent. */
function evaluate(tokens: readonly string[]): number {
  let at = 0;
  let depth = 0;
  const take = (...signs: string[]): string | undefined => {
    const sign = signs.find((one) => one === tokens[at]);
    if (sign !== undefined) at += 1;
    return sign;
  };
  const expect = (sign: string) => {
    if (!take(sign)) throw invalid(`A "${sign}" is missing.`);
  };
  const within = (read: () => number): number => {
    depth += 1;
    if (depth > MAX_DEPTH) throw invalid("The expression is nested too deeply.");
    const value = read();
    depth -= 1;
    return value;
  };
  const sum = (): number => {
    let value = product();
    for (let sign = take("+", "-"); sign; sign = take("+", "-"))
      value = sign === "+" ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = signed();
    for (let sign = take("*", "/", "%"); sign; sign = take("*", "/", "%")) {
      const right = signed();
      if (sign === "*") value *= right;
      else if (right === 0) throw invalid("Division by zero.");
      else value = sign === "/" ? value / right : value % right;
    }
    return value;
  };
  const signed = (): number => {
    const sign = take("-", "+");
    if (sign) return within(() => (sign === "-" ? -signed() : signed()));
    const base = atom();
    return take("^") ? base ** within(signed) : base;
  };
  const atom = (): number => {
    const token = tokens[at];
    if (token === undefined) throw invalid("The expression is incomplete.");
    at += 1;
    if (/^[\d.]/.test(token)) return Number(token);
    if (/^[a-z]/.test(token)) return resolve(token);
    if (token !== "(") throw invalid(`The expression has an unexpected "${token}".`);
    const value = within(sum);
    expect(")");
    return value;
  };
  const resolve = (name: string): number => {
    if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name] ?? 0;
    const compute = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!compute) {
      const names = [...Object.keys(FUNCTIONS), ...Object.keys(CONSTANTS)].join(", ");
      throw invalid(`"${name}" is unknown. Use ${names}.`);
    }
    expect("(");
    const values = [within(sum)];
    while (take(",")) values.push(within(sum));
    expect(")");
    return compute(...values);
  };
  const value = sum();
  if (at < tokens.length) throw invalid("An operator is missing.");
  return value;
}

/** @throws AppError `invalid` with the reason */
function calculate(expression: string): number {
  const value = evaluate(tokenize(expression));
  if (!Number.isFinite(value)) throw invalid("The result isn't a finite number.");
  // Rounded, so that 0.1 + 0.2 is 0.3.
  return Number(value.toPrecision(15));
}

export const calculator = definePlugin(
  {
    id: "calculator",
    title: "Calculator & Units",
    icon: "Calculator",
    description:
      "Exact arithmetic for models that guess: expressions with brackets, powers and functions, and conversion between units of length, mass, time, data, energy and more.",
    tags: ["math", "units", "conversion"],
    version: "1.0.0",
    released: "2026-11-20",
    featured: true,
    categories: ["productivity", "data"],
    requests: { effects: ["reads"] },
  },
  [
    definePluginTool({
      name: "calculate",
      title: "Calculate",
      description:
        "Computes an arithmetic expression such as (12.5 + 3) * 2^10 / sqrt(7). Operators + - * / % ^, functions abs ceil cos exp floor ln log log2 max min round(value, digits) sin sqrt tan, constants pi and e. Use it for any arithmetic beyond two small numbers.",
      effect: "reads",
      input: z.object({
        expression: z
          .string()
          .trim()
          .min(1)
          .max(2000)
          .describe("The expression, with a point as decimal separator"),
      }),
      run: async ({ expression }) => ({ expression, value: calculate(expression) }),
    }),
    definePluginTool({
      name: "convert",
      title: "Convert units",
      description: `Converts a value between two units of the same quantity. Units: ${unitNames()}.`,
      effect: "reads",
      input: z.object({
        value: z.number(),
        from: z.string().min(1).max(20).describe("Unit of the value, such as km"),
        to: z.string().min(1).max(20).describe("Unit of the result, such as mi"),
      }),
      run: async ({ value, from, to }) => ({ from, to, ...convert(value, from, to) }),
    }),
  ],
);
