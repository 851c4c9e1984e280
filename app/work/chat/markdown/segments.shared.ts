import { formulaEnd } from "./formula.shared";

/** A part of a text that is parsed by itself, such as a paragraph, table, code block or some list items. */
export interface Segment {
  start: number;
  end: number;
  kind: "text" | "list" | "indented" | "fence" | "math";
  /** Continues the previous segment's list. */
  joined: boolean;
}

/** Parser state at the end of a growing text. */
export interface SegmentState {
  /** Segments that further text can't change. */
  done: Segment[];
  open: Segment | undefined;
}

/** Length in characters after which a list is split before its next item. */
const LIST_SEGMENT = 3000;
/** Prefix of a line that identifies its kind. */
const HEAD = 120;
/** Maximum length of a line with a formula delimiter. */
const WHOLE = 4000;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const ITEM = /^( {0,3})(?:([-*+])|(\d{1,9})([.)]))(?:[ \t]+\S|[ \t]*$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const INNER_FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;

interface Open extends Segment {
  /** A formula's closing delimiter, or a fence's characters (also of one in a list item). */
  fence: string | undefined;
  mark: string;
  /** End of the last line that isn't blank. */
  solid: number;
}

const indentOf = (line: string) => /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "    ").length ?? 0;

function fenceOf(line: string): string | undefined {
  const [, marks = "", info = ""] = FENCE.exec(line) ?? [];
  return marks && !(marks.startsWith("`") && info.includes("`")) ? marks : undefined;
}

function closes(line: string, marks: string): boolean {
  const [, own = "", rest = ""] = FENCE.exec(line.trimStart()) ?? [];
  return own.startsWith(marks) && rest.trim() === "";
}

/** The marker that starts or continues a list; a number by its sign alone. */
function markOf(line: string): { mark: string; number: string | undefined; empty: boolean } | undefined {
  if (RULE.test(line)) return undefined;
  const [whole = "", , bullet, number, sign] = ITEM.exec(line) ?? [];
  const mark = bullet ?? sign;
  return mark ? { mark, number, empty: whole.trimEnd().endsWith(mark) } : undefined;
}

/** A line, possibly truncated, with its end position. */
interface Line {
  at: number;
  end: number;
  text: string;
  /** The whole line, for formula delimiters. */
  whole(): string;
}

class Cutter {
  readonly done: Segment[] = [];
  open: Open | undefined;
  #joined: boolean;

  constructor(joined: boolean) {
    this.#joined = joined;
  }

  add(line: Line, blank: boolean): void {
    const { open } = this;
    if (!open) {
      if (!blank) this.#begin(line, this.#joined && this.done.length === 0);
    } else if (open.kind === "math") {
      // Unclosed, it is a paragraph.
      if (blank) {
        open.kind = "text";
        this.#finish();
      } else {
        this.#extend(line);
        if (
          line
            .whole()
            .trimEnd()
            .endsWith(open.fence ?? "")
        )
          this.#finish();
      }
    } else if (open.kind === "fence") {
      this.#extend(line);
      if (closes(line.text, open.fence ?? "")) this.#finish();
    } else if (blank) {
      if (open.kind === "text") this.#finish();
      else open.end = line.end;
    } else if (open.kind === "list") this.#addToList(open, line);
    else {
      const goesOn = open.kind === "indented" ? indentOf(line.text) >= 4 : !interrupts(line.text);
      if (goesOn) this.#extend(line);
      else this.#restart(line);
    }
  }

  #addToList(list: Open, line: Line): void {
    const indent = indentOf(line.text);
    if (list.fence && indent >= 2) {
      if (closes(line.text, list.fence)) list.fence = undefined;
      this.#extend(line);
      return;
    }
    const item = indent < 2 ? markOf(line.text) : undefined;
    const same = item?.mark === list.mark;
    if (same && list.end - list.start >= LIST_SEGMENT) this.#restart(line, true);
    else if (same || (!item && (indent >= 2 || !endsList(list, line.text)))) {
      this.#extend(line);
      list.fence = INNER_FENCE.exec(line.text)?.[1];
    } else this.#restart(line);
  }

  #begin(line: Line, joined: boolean): void {
    const { at, end, text } = line;
    const formula = /^ {0,3}(?:\$\$|\\\[)/.test(text) ? formulaEnd(line.whole()) : undefined;
    if (formula) {
      this.open = { start: at, end, kind: "math", joined, fence: formula.end, mark: "", solid: end };
      if (formula.isClosed) this.#finish();
      return;
    }
    const fence = fenceOf(text);
    const item = fence ? undefined : markOf(text);
    const kind = fence ? "fence" : item ? "list" : indentOf(text) >= 4 ? "indented" : "text";
    const inner = item ? INNER_FENCE.exec(text)?.[1] : undefined;
    this.open = {
      start: at,
      end,
      kind,
      joined,
      fence: fence ?? inner,
      mark: item?.mark ?? "",
      solid: end,
    };
  }

  #restart(line: Line, joined = false): void {
    this.#finish();
    this.#begin(line, joined);
  }

  #extend({ end }: Line): void {
    if (!this.open) return;
    this.open.end = end;
    this.open.solid = end;
  }

  #finish(): void {
    if (!this.open) return;
    const { start, kind, joined, solid } = this.open;
    this.done.push({ start, end: solid, kind, joined });
    this.open = undefined;
  }
}

/** Whether a line ends a paragraph. */
function interrupts(line: string): boolean {
  if (fenceOf(line) || formulaEnd(line) !== undefined) return true;
  const item = markOf(line);
  // An empty item doesn't: a dash below a paragraph makes a heading.
  return item !== undefined && !item.empty && (item.number === undefined || item.number === "1");
}

/** Whether a line outside the items ends the list. */
function endsList(list: Open, line: string): boolean {
  const afterBlank = list.end > list.solid;
  return afterBlank || fenceOf(line) !== undefined || RULE.test(line) || /^#{1,6}(?:\s|$)/.test(line);
}

/**
 * Splits a text into segments in one pass, in linear time.
 * @param range.from start of the first segment
 * @param range.to end of the text to split
 * @param range.joined whether the first segment continues the previous one's list
 */
export function segmentsOf(text: string, { from = 0, to = text.length, joined = false } = {}): SegmentState {
  const cutter = new Cutter(joined);
  for (let at = from; at < to; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? to : newline + 1;
    const stop = newline < 0 ? to : newline;
    const line = text.slice(at, Math.min(stop, at + HEAD));
    const blank = line.trim() === "" && text.slice(at, stop).trim() === "";
    cutter.add({ at, end, text: line, whole: () => text.slice(at, Math.min(stop, at + WHOLE)) }, blank);
    at = end;
  }
  return { done: cutter.done, open: cutter.open };
}
