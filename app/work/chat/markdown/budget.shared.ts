/** Limits per segment; the parser is quadratic in most of these. */
const LIMITS = {
  /** Characters of a segment. */
  length: 12_000,
  lines: 600,
  /** In characters; the parser rescans a word with an at sign. */
  word: 2500,
  addressWord: 320,
  /** Spaces and tabs in a row that don't begin a line. */
  gap: 200,
  /** Columns of indentation, and marks of lists and quotes at a line's beginning. */
  indent: 40,
  marks: 10,
  /** Delimiter runs per paragraph, item or table row. */
  emphasis: 240,
  brackets: 160,
  ticks: 160,
  angles: 120,
  escapes: 400,
  formulas: 240,
  columns: 60,
  cells: 4000,
};

const DELIMITER_ROW = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const CONTAINER = /^(?:[ \t]*(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*[ \t]*/;

function count(text: string, pattern: RegExp, max: number): boolean {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.exec(text)) if (++found > max) return false;
  return true;
}

function hasFewMarks(unit: string): boolean {
  return (
    count(unit, /[*_~]+/g, LIMITS.emphasis) &&
    count(unit, /[[\]!(]+/g, LIMITS.brackets * 2) &&
    count(unit, /\[/g, LIMITS.brackets) &&
    count(unit, /`+/g, LIMITS.ticks) &&
    count(unit, /\$+|\\[([]/g, LIMITS.formulas) &&
    count(unit, /<+/g, LIMITS.angles) &&
    count(unit, /[\\&]/g, LIMITS.escapes)
  );
}

/** The longest run of blanks or non-blanks. */
function hasShortWords(line: string): boolean {
  let word = 0;
  let gap = 0;
  let address = false;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === 32 || code === 9) {
      gap += 1;
      word = 0;
      address = false;
      if (gap > LIMITS.gap) return false;
    } else {
      word += 1;
      gap = 0;
      address ||= code === 64;
      if (word > (address ? LIMITS.addressWord : LIMITS.word)) return false;
    }
  }
  return true;
}

function isShallow(line: string): boolean {
  const lead = CONTAINER.exec(line.slice(0, 400))?.[0] ?? "";
  const marks = lead.match(/[^\s\d]/g)?.length ?? 0;
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "    ").length ?? 0;
  return marks <= LIMITS.marks && indent <= LIMITS.indent;
}

const pipesOf = (line: string): number => {
  let found = 0;
  for (let at = line.indexOf("|"); at >= 0; at = line.indexOf("|", at + 1)) found += 1;
  return found;
};

/** Rows are filled up to the header's width. */
function hasSmallTables(lines: readonly string[]): boolean {
  let cells = 0;
  let columns = 0;
  for (const [at, line] of lines.entries()) {
    if (DELIMITER_ROW.test(line.slice(0, 2000)) && line.includes("-")) {
      columns = Math.max(columns, Math.min(pipesOf(line), pipesOf(lines[at - 1] ?? "")) + 1);
    }
    if (columns > LIMITS.columns) return false;
    if (columns > 1) cells += columns;
  }
  return cells <= LIMITS.cells;
}

/** Whether a segment can be formatted in time, in one pass; others stay plain text. */
export function isWithinBudget(source: string): boolean {
  if (source.length > LIMITS.length) return false;
  const lines = source.split("\n");
  if (lines.length > LIMITS.lines || !hasSmallTables(lines)) return false;
  let unit = "";
  for (const line of lines) {
    if (!isShallow(line) || !hasShortWords(line.trimStart())) return false;
    const begins =
      /^[ \t]*(?:[-*+]|\d{1,9}[.)]|>|#|\|)/.test(line) || line.includes(" | ") || line.trim() === "";
    if (begins && !hasFewMarks(unit)) return false;
    unit = begins ? line : `${unit}\n${line}`;
  }
  return hasFewMarks(unit);
}
