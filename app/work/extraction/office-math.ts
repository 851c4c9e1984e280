import { attributeOf, type XmlHandler } from "./office";

/** One element of a formula that is being read. */
interface Frame {
  name: string;
  text: string;
  /** Texts of the element's arguments, such as `num` and `den`. */
  parts: { name: string; text: string }[];
  properties: Map<string, string>;
}

/** Arguments of structures. */
const ARGUMENTS = new Set(["e", "num", "den", "sub", "sup", "deg", "fName", "lim", "mr"]);
const STRUCTURES = new Set([
  "f",
  "sSup",
  "sSub",
  "sSubSup",
  "sPre",
  "rad",
  "nary",
  "d",
  "func",
  "limLow",
  "limUpp",
  "m",
  "eqArr",
  "acc",
  "bar",
  "groupChr",
]);
const PROPERTIES = new Set(["chr", "begChr", "endChr", "sepChr", "type", "pos"]);
/** Letters of formulas have code points of their own, which nobody types. */
const STYLED = /[\u{1d400}-\u{1d7ff}]/gu;

/** In characters; a formula's structure multiplies brackets only. */
const MAX_LENGTH = 100_000;

const isToken = (text: string) =>
  /^(?:[\p{L}\p{M}]+|[\p{N}.,]+|.)$/u.test(text) || /^[(√][^()]*\)$/u.test(text);
const group = (text: string) => (isToken(text) ? text : `(${text})`);
/** An index or exponent: nothing for an empty one. */
const script = (mark: string, text: string) => (text ? mark + group(text) : "");

type Composer = (part: (name: string) => string, frame: Frame) => string;

const texts = ({ parts }: Frame, name: string) =>
  parts.filter((part) => part.name === name).map(({ text }) => text);

/** Writes formulas in a line as Word's own linear format does, by the structure's name. */
const COMPOSERS: Readonly<Record<string, Composer>> = {
  f: (part, { properties }) =>
    properties.get("type") === "noBar"
      ? `${group(part("num"))}¦${group(part("den"))}`
      : `${group(part("num"))}/${group(part("den"))}`,
  sSup: (part) => group(part("e")) + script("^", part("sup")),
  sSub: (part) => group(part("e")) + script("_", part("sub")),
  sSubSup: (part) => group(part("e")) + script("_", part("sub")) + script("^", part("sup")),
  sPre: (part) => script("_", part("sub")) + script("^", part("sup")) + part("e"),
  rad: (part) => `${part("deg") ? `√[${part("deg")}]` : "√"}(${part("e")})`,
  nary: (part, { properties }) =>
    `${properties.get("chr") ?? "∫"}${script("_", part("sub"))}${script("^", part("sup"))} ${part("e")}`,
  d: (_, frame) => {
    const { properties } = frame;
    const inner = texts(frame, "e").join(properties.get("sepChr") ?? "|");
    return `${properties.get("begChr") ?? "("}${inner}${properties.get("endChr") ?? ")"}`;
  },
  func: (part) => {
    const argument = part("e");
    return `${part("fName")}${/^[([{|]/.test(argument) ? "" : " "}${argument}`;
  },
  limLow: (part) => part("e") + script("_", part("lim")),
  limUpp: (part) => part("e") + script("^", part("lim")),
  m: (_, frame) => `[${texts(frame, "mr").join("; ")}]`,
  eqArr: (_, frame) => texts(frame, "e").join("; "),
  acc: (part, { properties }) => {
    const accent = properties.get("chr") ?? "\u0302";
    return [...part("e")].length === 1 ? part("e") + accent : group(part("e")) + accent;
  },
  bar: (part) => part("e"),
  groupChr: (part) => part("e"),
};

function compose(frame: Frame): string {
  const part = (name: string) => frame.parts.find((item) => item.name === name)?.text.trim() ?? "";
  return COMPOSERS[frame.name]?.(part, frame) ?? frame.text;
}

/** A formula (`m:oMath`) that is read into one line. */
export class Formula {
  readonly #frames: Frame[] = [];
  #inText = false;
  #length = 0;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#inText = name === "t";
    const frame = this.#frames.at(-1);
    if (PROPERTIES.has(name) && frame)
      frame.properties.set(name, (attributeOf(attributes) ?? "").slice(0, 3));
    else if (name === "oMath" || ARGUMENTS.has(name) || STRUCTURES.has(name)) {
      this.#frames.push({ name, text: "", parts: [], properties: new Map() });
    }
  }

  write(text: string): void {
    const frame = this.#frames.at(-1);
    if (!this.#inText || !frame || this.#length > MAX_LENGTH) return;
    this.#length += text.length;
    frame.text += text.replace(STYLED, (letter) => letter.normalize("NFKC"));
  }

  /** @returns the whole formula at its end */
  close(name: string): string | undefined {
    this.#inText = false;
    if (this.#frames.at(-1)?.name !== name) return undefined;
    const frame = this.#frames.pop();
    const parent = this.#frames.at(-1);
    if (!frame) return undefined;
    if (!parent) return frame.text.replace(/\s+/g, " ").trim();
    if (STRUCTURES.has(name)) this.#add(parent, compose(frame));
    else if (name === "mr") parent.parts.push({ name, text: texts(frame, "e").join(", ") });
    else parent.parts.push({ name, text: frame.text });
    return undefined;
  }

  #add(parent: Frame, text: string): void {
    this.#length += 4;
    // Two names beside each other would become one.
    const isName = /[\p{L}\p{N}]$/u.test(parent.text) && /^\p{L}{2}/u.test(text);
    parent.text += isName ? ` ${text}` : text;
  }
}

/** Passes each formula in a line, as the text of an element `t`. */
export function oneLineFormulas(handler: XmlHandler): XmlHandler {
  let formula: Formula | undefined;
  return {
    ...handler,
    open(name, attributes) {
      if (name === "oMath") formula ??= new Formula();
      if (formula) formula.open(name, attributes);
      else handler.open?.(name, attributes);
    },
    text(text) {
      if (formula) formula.write(text);
      else handler.text?.(text);
    },
    close(name) {
      const line = formula?.close(name);
      if (line !== undefined) {
        formula = undefined;
        handler.open?.("t", {});
        handler.text?.(line);
        handler.close?.("t");
      } else if (!formula) handler.close?.(name);
    },
  };
}
