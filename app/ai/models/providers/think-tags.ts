/** Tags that models write around their thoughts where the server doesn't take them out. */
const NAMES = ["think", "thinking", "thought", "thoughts", "reasoning", "reason"];
const OPENING = new Map(NAMES.map((name) => [`<${name}>`, name]));
const LONGEST = Math.max(...[...OPENING.keys()].map((tag) => tag.length)) + 1;

/** Empty space before an answer, in characters, from which on nothing is waited for. */
const MAX_SPACE = 1000;

/**
 * What a model's answers have shown: the name of the tag that its template opens by itself, so that only the closing one is
 * written. Known from the second answer on.
 */
export interface OpenedTags {
  name?: string;
}

export type Said = { kind: "text" | "thought"; text: string };

const couldBecome = (text: string, tags: readonly string[]) =>
  text !== "" && tags.some((tag) => tag.length > text.length && tag.startsWith(text));

/** The longest end of a text that could be the beginning of one of these tags. */
function heldBack(text: string, tags: readonly string[]): number {
  for (let length = Math.min(text.length, LONGEST); length > 0; length--)
    if (couldBecome(text.slice(-length), tags)) return length;
  return 0;
}

/** Characters of a line from which on it isn't a tag. */
const MAX_TAG_LINE = 100;

/** Finds a closing tag that has a line for itself, with text behind it: an answer that is about tags has them in code. */
class LoneTag {
  name: string | undefined;
  #line = "";
  #isInCode = false;
  #hasBegun = false;

  take(text: string): void {
    const lines = text.split("\n");
    for (const [at, piece] of lines.entries()) {
      this.#line = (this.#line + piece).slice(0, MAX_TAG_LINE);
      if (at < lines.length - 1) this.#endLine();
    }
  }

  #endLine(): void {
    const line = this.#line.trim();
    this.#line = "";
    if (line.startsWith("```") || line.startsWith("~~~")) this.#isInCode = !this.#isInCode;
    const tag = NAMES.find((name) => line === `</${name}>`);
    if (tag && this.#hasBegun && !this.#isInCode) this.name ??= tag;
    this.#hasBegun ||= line !== "";
  }
}

/**
 * Takes an answer's thoughts out of its text, however the text is cut. Only tags with which an answer begins are thoughts:
 * later ones may be what it is about. Thoughts within thoughts belong to them, and what isn't closed is thought to its end.
 */
export class ThinkTags {
  #state: "before" | "within" | "after" | "answer" = "before";
  #waiting = "";
  #name = "";
  #depth = 0;
  #isOpened = false;
  #isExpected = true;
  readonly #thoughts: string[] = [];
  readonly #lone = new LoneTag();

  /** @param opened what earlier answers have shown; this one adds to it */
  constructor(private readonly opened: OpenedTags = {}) {}

  /** The server gives the thoughts by themselves. */
  expectNone(): void {
    this.#isExpected = false;
    delete this.opened.name;
    if (this.#state === "before") this.#state = "answer";
  }

  take(text: string): Said[] {
    this.#waiting += text;
    const said: Said[] = [];
    for (let next = this.#step(); next; next = this.#step()) if (next.text !== "") said.push(next);
    return said;
  }

  /**
   * What was held back.
   * @param isAnswer whether something of it must be the answer: thoughts that the model didn't close were all of it then
   */
  end(isAnswer = true): Said[] {
    const text = this.#waiting;
    this.#waiting = "";
    const isWithin = this.#state === "within";
    const last: Said[] = text === "" ? [] : [{ kind: isWithin ? "thought" : "text", text }];
    if (isWithin && this.#isOpened && isAnswer) {
      delete this.opened.name;
      return [...last, { kind: "text", text: [...this.#thoughts, text].join("") }];
    }
    if (this.#lone.name && this.#isExpected) this.opened.name = this.#lone.name;
    return last;
  }

  /** Undefined where more must come first. */
  #step(): Said | undefined {
    if (this.#waiting === "") return undefined;
    if (this.#state === "before") return this.#begin();
    if (this.#state === "within") return this.#think();
    if (this.#state === "after") {
      this.#waiting = this.#waiting.trimStart();
      if (this.#waiting === "") return undefined;
      this.#state = "answer";
    }
    return this.#flush("text", this.#waiting.length);
  }

  #begin(): Said | undefined {
    const begun = this.#waiting.trimStart();
    const tag = [...OPENING.keys()].find((one) => begun.startsWith(one));
    if (tag) {
      this.#waiting = begun.slice(tag.length).trimStart();
      this.#name = OPENING.get(tag) ?? "";
      this.#depth = 1;
      this.#state = "within";
      return { kind: "thought", text: "" };
    }
    const mayBegin = begun === "" || couldBecome(begun, [...OPENING.keys()]);
    if (mayBegin && this.#waiting.length <= MAX_SPACE) return undefined;
    if (this.opened.name) {
      this.#waiting = begun;
      this.#name = this.opened.name;
      this.#depth = 1;
      this.#isOpened = true;
      this.#state = "within";
      return { kind: "thought", text: "" };
    }
    this.#state = "answer";
    return { kind: "text", text: "" };
  }

  #think(): Said | undefined {
    const [open, close] = [`<${this.#name}>`, `</${this.#name}>`];
    // One pass over the text: looking for each tag from each other one takes minutes where there are only opening ones.
    for (const { 0: tag, index } of this.#waiting.matchAll(new RegExp(`</?${this.#name}>`, "g"))) {
      this.#depth += tag === open ? 1 : -1;
      if (this.#depth > 0) continue;
      const thought = this.#flush("thought", index);
      this.#waiting = this.#waiting.slice(close.length);
      this.#state = "after";
      return { ...thought, text: thought.text.trimEnd() };
    }
    const length = this.#waiting.length - heldBack(this.#waiting, [open, close]);
    return length > 0 ? this.#flush("thought", length) : undefined;
  }

  #flush(kind: Said["kind"], length: number): Said {
    const text = this.#waiting.slice(0, length);
    if (kind === "text" && this.#name === "") this.#lone.take(text);
    if (kind === "thought" && this.#isOpened) this.#thoughts.push(text);
    this.#waiting = this.#waiting.slice(length);
    return { kind, text };
  }
}
