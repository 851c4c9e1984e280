import { AppError } from "~/core/errors";

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
const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z][A-Za-z0-9]*)|(\*\*|[-+*/%^(),!]))/y;

type Token = { number: number } | { name: string } | { sign: string };

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match)
      throw new AppError("invalid", `Unexpected "${text.slice(at).trim().slice(0, 10)}" at ${at + 1}.`);
    const [, number, name, sign = ""] = match;
    if (number !== undefined) tokens.push({ number: Number(number) });
    else if (name !== undefined) tokens.push({ name: name.toLowerCase() });
    else tokens.push({ sign: sign === "**" ? "^" : sign });
  }
  return tokens;
}

class Parser {
  #at = 0;
  #depth = 0;
  constructor(readonly tokens: readonly Token[]) {}

  #peek(): string | undefined {
    const token = this.tokens[this.#at];
    return token && "sign" in token ? token.sign : undefined;
  }

  #take(...signs: string[]): string | undefined {
    const sign = this.#peek();
    if (sign === undefined || !signs.includes(sign)) return undefined;
    this.#at += 1;
    return sign;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw new AppError("invalid", `A "${sign}" is missing.`);
  }

  #within<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new AppError("invalid", "The expression is nested too deeply.");
    const value = read();
    this.#depth -= 1;
    return value;
  }

  whole(): number {
    const value = this.#sum();
    if (this.#at < this.tokens.length) throw new AppError("invalid", "An operator is missing.");
    return value;
  }

  #sum(): number {
    let value = this.#product();
    for (let sign = this.#take("+", "-"); sign; sign = this.#take("+", "-"))
      value = sign === "+" ? value + this.#product() : value - this.#product();
    return value;
  }

  #product(): number {
    let value = this.#signed();
    for (let sign = this.#take("*", "/", "%"); sign; sign = this.#take("*", "/", "%")) {
      const right = this.#signed();
      if (sign === "*") value *= right;
      else if (right === 0) throw new AppError("invalid", "Division by zero.");
      else value = sign === "/" ? value / right : value % right;
    }
    return value;
  }

  #signed(): number {
    const sign = this.#take("-", "+");
    if (sign) return this.#within(() => (sign === "-" ? -this.#signed() : this.#signed()));
    const base = this.#atom();
    return this.#take("^") ? base ** this.#within(() => this.#signed()) : base;
  }

  #atom(): number {
    const token = this.tokens[this.#at];
    if (!token) throw new AppError("invalid", "The expression is incomplete.");
    this.#at += 1;
    if ("number" in token) return token.number;
    if ("name" in token) return this.#valueOf(token.name);
    if (token.sign !== "(")
      throw new AppError("invalid", `The expression has an unexpected "${token.sign}".`);
    const value = this.#within(() => this.#sum());
    this.#expect(")");
    return value;
  }

  #valueOf(name: string): number {
    if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name] ?? 0;
    const compute = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!compute) {
      const names = [...Object.keys(FUNCTIONS), ...Object.keys(CONSTANTS)].join(", ");
      throw new AppError("invalid", `"${name}" is unknown. Use ${names}.`);
    }
    this.#expect("(");
    const values = [this.#within(() => this.#sum())];
    while (this.#take(",")) values.push(this.#within(() => this.#sum()));
    this.#expect(")");
    return compute(...values);
  }
}

/** @throws AppError `invalid` with the reason */
export function calculate(expression: string): number {
  const value = new Parser(tokenize(expression)).whole();
  if (!Number.isFinite(value)) throw new AppError("invalid", "The result isn't a finite number.");
  // Rounded, so that 0.1 + 0.2 is 0.3.
  return Number(value.toPrecision(15));
}
