import { cutIndex } from "~/core/well-formed";

// Without zod: the browser reads answers aloud with it.

/** Of a piece that is read at once, in characters: providers take 4,096, and the first should be heard soon. */
const PIECE = 1500;
const FIRST_PIECE = 300;

const REPLACED: readonly (readonly [RegExp, string])[] = [
  [
    /^ {0,3}(```+|~~~+)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))/gm,
    "\nA piece of code is left out.\n",
  ],
  [/^ {0,3}\$\$[\s\S]*?\$\$/gm, "\nA formula is left out.\n"],
  [/!?\[([^[\]\n]{0,500})\]\([^()\n]{0,2000}\)/g, "$1"],
  // Also since the patterns below would take long for thousands of them.
  [/[ \t]{2,}/g, " "],
  // Citations, and marks of headings, quotes, lists and tables.
  [/\[\d{1,3}\]/g, ""],
  [/^[ \t>]*(?:#{1,6} |[-*+] |>)+/gm, ""],
  [/^[ \t|:-]{3,}$/gm, ""],
  [/[ \t]*\|[ \t]*/g, ", "],
  [/<\/?[a-z][^<>\n]{0,500}>/gi, ""],
  [/https?:\/\/([\w.-]+)[^\s)]*/g, "$1"],
  [/(\*\*|__|~~|`)/g, ""],
  [/(^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|[.,;:!?]|$)/gm, "$1"],
];

/** A line without the commas that stand for a table's edges. A pattern would try each comma as the beginning of the last. */
function withoutEdges(line: string): string {
  const isEdge = (at: number) => line[at] === " " || line[at] === ",";
  let from = 0;
  let end = line.length;
  while (from < end && isEdge(from)) from += 1;
  while (end > from && isEdge(end - 1)) end -= 1;
  return line.slice(from, end);
}

/** What of an answer's Markdown is said. */
export function spokenText(markdown: string): string {
  const said = REPLACED.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), markdown);
  const lines = said.split("\n").map(withoutEdges);
  return lines.filter((line) => line !== "").join("\n");
}

/** A text in pieces that end with a paragraph or sentence where there is one. */
export function spokenPieces(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest !== "") {
    const limit = pieces.length === 0 ? FIRST_PIECE : PIECE;
    const part = rest.slice(0, limit);
    const ends = [
      part.lastIndexOf("\n"),
      part.search(/[.!?。！？](?=\s[^.!?。！？]*$)/),
      part.lastIndexOf(" "),
    ];
    const end = ends.find((at) => at > limit / 4) ?? limit - 1;
    const cut = cutIndex(rest, rest.length <= limit ? rest.length : end + 1);
    const piece = rest.slice(0, cut).trim();
    if (piece !== "") pieces.push(piece);
    rest = rest.slice(cut);
  }
  return pieces;
}
