import { yieldToEventLoop } from "~/core/background.server";
import { LONGEST_PII } from "~/core/find-pii";
import type { TextKind } from "./call-texts";
import { blankOut, type Found, LONGEST_PLACEHOLDER } from "./masking";
import { CHECKED, lengthBefore, type TextPart } from "./phrases";

/** What a call's guard does with a part of an answer. */
interface Checks {
  assertUnblocked(text: string, direction: "answer", part: TextPart): void;
  assertModerated(text: string): Promise<void>;
  find(text: string): Found[];
  restore(text: string, kind: TextKind): string;
  answer<T>(value: T): Promise<T>;
}

/** Characters of an answer after which the part so far is judged. */
const JUDGED_PART = 1000;

interface StreamOptions {
  kind: TextKind;
  /** Visible characters that are held back, since a phrase may begin in them. */
  held: number;
  blanks: boolean;
  restores: boolean;
  moderates: boolean;
}

/** Visible characters of personal data that may go on. An email address is longer, but has no space. */
const HELD_PII = 80;

const CONTEXT = 200;

/** One text of an answer as it streams: checked in windows, so that what spans two deltas is found. */
export class StreamedText {
  #held = "";
  /** The last of what was given out, by which a word's beginning is known. */
  #before = "";
  #unjudged = "";
  /** The end of the part that was judged last, as context of the next. */
  #judged = "";

  constructor(
    private readonly guard: Checks,
    private readonly options: StreamOptions,
  ) {}

  /** JSON is checked by its strings, which are known once it is whole. */
  get #waits(): boolean {
    const { kind, held, moderates } = this.options;
    return kind === "json" && (held > 0 || moderates);
  }

  /** @returns what may be shown now @throws GuardrailRefusal */
  async push(delta: string): Promise<string> {
    if (this.#waits) {
      this.#held += delta;
      return "";
    }
    let shown = "";
    for (let from = 0; from < Math.max(1, delta.length); from += CHECKED) {
      if (from > 0) await yieldToEventLoop();
      this.#held += delta.slice(from, from + CHECKED);
      this.#assertUnblocked(false);
      shown += await this.#giveOut(this.#cut(), false);
    }
    return shown;
  }

  /** @returns the rest @throws GuardrailRefusal */
  async end(): Promise<string> {
    if (this.#waits) return (await this.guard.answer({ arguments: this.#held })).arguments;
    this.#assertUnblocked(true);
    return this.#giveOut(this.#held.length, true);
  }

  #assertUnblocked(isEnd: boolean): void {
    const part = { isBeginning: this.#before === "", isEnd };
    this.guard.assertUnblocked(this.#before + this.#held, "answer", part);
  }

  /** How much of the held text nothing can begin in that isn't whole. */
  #cut(): number {
    const { held, blanks, restores } = this.options;
    const text = this.#held;
    let cut = held > 0 ? lengthBefore(text, held) : text.length;
    if (blanks) {
      cut = Math.min(cut, lengthBefore(text, HELD_PII));
      const word = text.slice(0, cut).search(/\S+$/);
      if (word >= 0 && cut - word < LONGEST_PII) cut = word;
    }
    if (restores) {
      const bracket = text.lastIndexOf("[", cut - 1);
      const isOpen =
        bracket >= 0 && cut - bracket < LONGEST_PLACEHOLDER && !text.slice(bracket, cut).includes("]");
      if (isOpen) cut = bracket;
    }
    return cut;
  }

  async #giveOut(end: number, isEnd: boolean): Promise<string> {
    const { kind, blanks, moderates, restores } = this.options;
    const shown = (checked: string) => (restores ? this.guard.restore(checked, kind) : checked);
    let cut = end;
    const found = blanks ? this.guard.find(this.#held) : [];
    if (!isEnd) for (const { start, end: last } of found) if (start < cut && cut < last) cut = start;
    const text = this.#held.slice(0, cut);
    this.#held = this.#held.slice(cut);
    if (text !== "") this.#before = (this.#before + text).slice(-2);
    const blanked = blanks
      ? blankOut(
          text,
          found.filter(({ end: last }) => last <= cut),
        )
      : text;
    if (!moderates) return shown(blanked);
    this.#unjudged += blanked;
    if (this.#unjudged === "" || (!isEnd && this.#unjudged.length < JUDGED_PART)) return "";
    const part = this.#unjudged;
    await this.guard.assertModerated(this.#judged + part);
    this.#unjudged = "";
    this.#judged = part.slice(-CONTEXT);
    return shown(part);
  }
}
