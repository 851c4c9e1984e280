import { readFrontMatter } from "./front-matter";

export interface Line {
  text: string;
  /** Whether it belongs to a fenced block of code. */
  fenced: boolean;
}

/** Of a line no more than its two ends, in characters: patterns would take long over what was made for it. */
const START = 300;
const END = 100;
const shortened = (line: string) =>
  line.length > START + END ? line.slice(0, START) + line.slice(-END) : line;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

export const isBlank = (line: Line | undefined): boolean => line === undefined || line.text.trim() === "";

/** A text's lines behind its front matter, and how many blocks of code with both their fences there are. */
export function readLines(text: string): { lines: Line[]; fences: number } {
  const { body } = readFrontMatter(text.replace(/\r\n?/g, "\n"));
  let fences = 0;
  let open: string | undefined;
  const lines = body.split("\n").map((whole): Line => {
    const line = shortened(whole);
    const [, marks = "", info = ""] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (marks !== "") open = marks;
      return { text: line, fenced: marks !== "" };
    }
    if (marks.startsWith(open) && info.trim() === "") {
      open = undefined;
      fences++;
    }
    return { text: line, fenced: true };
  });
  return { lines, fences };
}
