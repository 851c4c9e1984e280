import { describe, expect, it } from "vitest";
import { LiveMarkdown } from "~/work/chat/markdown/live.shared";
import { parseMarkdown } from "~/work/chat/markdown/parse.shared";
import { isWholeMatrix } from "../support/attack";
import { processorMs } from "../support/processor-time";

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

function stairs(length: number, step: (level: number) => string): string {
  let text = "";
  for (let level = 0; text.length < length; level++) text += step(level);
  return text.slice(0, length);
}

const wide = (columns: number, length: number, row: string) =>
  `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${fill(row, length)}`.slice(0, length);

/** Repeated to the length: each takes the parser a time that grows with the square of it, or more. */
const UNITS = [
  ..."*_`[]()<>|~!#&\\- \t\n=:@^+.",
  ..."_a,**a,*_a,***a**b*,~~a,~a~,**a ,é*,😀*,**「」**".split(","),
  ...'[a,[a],[a](,[a](b),[a](<b,[a](b ",![,![](,[\\],[a][b],[a*,*[a,[a]: b\n,[a]:\n,[a]: b "c\n'.split(","),
  ...'<a,<a b=",<a <b ,<!--,<!-- a ,<![CDATA[,<?,<!A,</a,<a@,<http:,<a b c d ,<div>\n,<div\n,<pre>'.split(
    ",",
  ),
  ..."` `` ,`a,`\n,```\n,```a\n~~~\n,    a\n,a  \n,a\\\n, \n,a   ,&a,&#,&#x,\\*".split(","),
  ..."> ,> a\n,>a\nb\n,- ,- > ,- a\n,- a\n\n,1. a\n,- a\n* b\n,- [ ] ,- [ ] a\n,* * ,# a\n,a\n=\n,***\n,-\n".split(
    ",",
  ),
  ..."|a|b|\n,|-,a|\n-|\n,:-|,http://a,www.a,a@,a.b@c.,a-_.,a@b ,http://a.b/c ,http://a?,a b ,\u00a0,^a".split(
    ",",
  ),
];

const SHAPES: [string, (length: number) => string][] = [
  ["a table as wide as the text", (length) => wide(Math.floor(length / 5), length, "|b")],
  ["a wide table of empty rows", (length) => wide(1000, length, "|\n")],
  ["tables within the limit", (length) => fill(`${wide(59, 700, "|\n")}\n\n`, length)],
  ["a long table", (length) => wide(2, length, "|1|2|\n")],
  ["quotes like stairs", (length) => stairs(length, (level) => `${">".repeat(level)}a\n`)],
  ["lists like stairs", (length) => stairs(length, (level) => `${" ".repeat(level * 2)}- a\n`)],
  ["growing runs of ticks", (length) => stairs(length, (level) => `${"`".repeat(level + 1)} `)],
  ["definitions", (length) => stairs(length, (level) => `[a${level}]: b\n`)],
  ["a word with an at sign", (length) => `${"a".repeat(length - 1)}@`],
  ["a gap", (length) => `a${" ".repeat(length - 2)}b`],
  ["a heading's marks", (length) => `# a${"#".repeat(length - 4)}b`],
  ["an address' brackets", (length) => `http://a${"(".repeat(length - 8)}`],
  ["a tag's attributes", (length) => fill(`<a ${"b ".repeat(60)}`, length)],
  ["a link's address", (length) => `[a](${"(".repeat(length - 4)}`],
  ["brackets that close", (length) => `${"[".repeat(length / 2)}${"](b)".repeat(length / 8)}`],
];

function usedMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return processorMs(before);
}

/**
 * Alone and in paragraphs that are just within the limits at a message's full length; in lines at a shorter one. The
 * short form has two, of which the first is a fifth as long: a time that grows with the square is beyond the limit there too.
 */
const VARIANTS: [string, number, (text: string) => string][] = [
  ["", isWholeMatrix ? 1_000_000 : 200_000, (text) => text],
  [", in paragraphs", 1_000_000, (text) => text.replace(/\n\n+/g, "\n").replace(/[\s\S]{2400}/g, "$&\n\n")],
  [", in lines", 20_000, (text) => text.replace(/[^\n]{300}/g, "$&\n")],
  [", in short paragraphs", 20_000, (text) => text.replace(/\n\n+/g, "\n").replace(/[\s\S]{150}/g, "$&\n\n")],
];

/** Processor time, in ms; one that grows with the square of the length is far beyond either. */
const mostMs = (length: number) => (length > 20_000 ? 4000 : 1000);

describe.each(isWholeMatrix ? VARIANTS : [0, 3].flatMap((n) => VARIANTS.slice(n, n + 1)))(
  "hostile Markdown%s",
  (_, length, shape) => {
    it.each([
      ...UNITS.map((unit): [string, (length: number) => string] => [unit, (max) => fill(unit, max)]),
      ...SHAPES,
    ])("takes a bounded time: %j", (__, make) => {
      const text = shape(make(length)).slice(0, length);
      expect(usedMs(() => parseMarkdown(text))).toBeLessThan(mostMs(length));
    });
  },
);

it("a growing text never takes a frame long, whatever it says", () => {
  const parts = ["*_a", "**a", "[a", "|a", "<a ", "`a", "a@", "- ", "> ", "\n"].map((unit) =>
    fill(unit, 12_000),
  );
  const text = parts.join("\n\n");
  const live = new LiveMarkdown();
  let max = 0;
  for (let end = 500; end <= text.length; end += 500) {
    max = Math.max(
      max,
      usedMs(() => live.grow(text.slice(0, end), 8)),
    );
  }
  expect(max).toBeLessThan(250);
});
