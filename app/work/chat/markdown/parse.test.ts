import { describe, expect, it, vi } from "vitest";
import { LiveMarkdown } from "./live.shared";
import { parseMarkdown } from "./parse.shared";
import type { Block, Inline } from "./tree.shared";

const blocks = (text: string) => parseMarkdown(text).blocks;
const kinds = (text: string) => blocks(text).map(({ t }) => t);

/** The words of a tree. */
function wordsOf(block: Block, text: string): string {
  const line = (inlines: readonly Inline[]): string =>
    inlines
      .map((one) => {
        if (typeof one === "string") return one;
        if ("c" in one) return line(one.c);
        return "v" in one ? one.v : "";
      })
      .join("");
  switch (block.t) {
    case "p":
    case "line":
    case "heading":
      return line(block.c);
    case "code":
      return block.v;
    case "quote":
      return block.c.map((inner) => wordsOf(inner, text)).join("\n");
    case "list":
      return block.items
        .flat()
        .map((inner) => wordsOf(inner, text))
        .join("\n");
    case "table":
      return [block.head, ...block.rows].map((row) => row.map(line).join("|")).join("\n");
    case "plain":
      return text.slice(block.from, block.to);
    case "hr":
      return "";
  }
}

describe("a model's Markdown", () => {
  it("becomes blocks", () => {
    const text =
      "# Title\n\nSome *words* and\n`code`.\n\n| a | b |\n|---|--:|\n| 1 | **2** |\n\n- one\n- two\n\n```js\nconst x = 1;\n\n\nlet y;\n```\n> said\n\n---\n";
    expect(kinds(text)).toEqual(["heading", "p", "table", "list", "code", "quote", "hr"]);
    expect(blocks(text)[4]).toEqual({ t: "code", lang: "js", v: "const x = 1;\n\n\nlet y;" });
  });

  it.each([
    ["a list with empty lines between its items", "- a\n\n  more\n\n- b\n- c\n", ["list"]],
    ["a list with code in an item", "1. a\n\n   ```\n   x\n\n   y\n   ```\n\n2. b\n", ["list"]],
    ["a list behind a paragraph's line", "Words:\n- a\n- b\n\n- c\n", ["p", "list"]],
    ["lists of different marks", "- a\n\n* b\n", ["list", "list"]],
    ["a number that begins no list", "It was in\n1986. A year.\n", ["p"]],
    ["an underlined heading", "Title\n-\n\nTitle\n---\n", ["heading", "heading"]],
    ["a rule below a list", "- a\n\n***\n\nb", ["list", "hr", "p"]],
    ["indented code", "a\n\n    x\n\n    y\n\nb", ["p", "code", "p"]],
    ["a fence behind a paragraph", "a\n~~~\n```\n~~~\nb", ["p", "code", "p"]],
    ["a fence without its end", "```\na\n\n# b\n", ["code"]],
    ["marks of a fence within a line", "``` a ``` b\n", ["p"]],
  ])("parses %s into its blocks", (_, text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it("resolves reference-style links", () => {
    expect(blocks("See [it][x].\n\n[x]: https://example.com/a\n")[0]).toMatchObject({
      c: ["See ", { t: "link", href: "https://example.com/a" }, "."],
    });
  });

  it("continues the numbers of a long list", () => {
    const text = Array.from({ length: 900 }, (_, index) => `${index + 1}. item ${index + 1}`).join("\n");
    const [list, ...rest] = blocks(text);
    expect(rest).toEqual([]);
    expect(list).toMatchObject({ t: "list", start: 1 });
    expect(list?.t === "list" && list.items.length).toBe(900);
  });

  it("shows excess text plain and formats the rest", () => {
    const wide = `${"|a".repeat(500)}|\n${"|-".repeat(500)}|\n${"|\n".repeat(100)}`;
    expect(kinds(`# Title\n\n${wide}\n\nEnd **well**.`)).toEqual(["heading", "plain", "p"]);
  });

  it("formats the beginning of a text that is too long", () => {
    const paragraph = `${"word ".repeat(100)}\n\n`;
    const text = paragraph.repeat(1000);
    const all = blocks(text);
    expect(all.length).toBeGreaterThan(100);
    expect(all.at(-1)).toMatchObject({ t: "plain", to: text.length - 1 });
    expect(all.slice(0, -1).every(({ t }) => t === "p")).toBe(true);
  });
});

describe("Chinese, Japanese and Korean", () => {
  it("has bold text next to its punctuation", () => {
    const text =
      "**注意：**这是粗体。请参阅**《手册》**第三章。これは**「引用」**です。**重要（じゅうよう）**だ。한국어 **'강조'**입니다.";
    const bold = [...JSON.stringify(blocks(text)).matchAll(/"t":"strong","c":\["([^"]*)"\]/g)];
    expect(bold.map(([, words]) => words)).toEqual([
      "注意：",
      "《手册》",
      "「引用」",
      "重要（じゅうよう）",
      "'강조'",
    ]);
  });

  it("ends an address before its punctuation", () => {
    const text = "详见https://example.org/a，谢谢。また https://example.org/b。と続く。";
    const links = [...JSON.stringify(blocks(text)).matchAll(/"href":"([^"]*)"/g)];
    expect(links.map(([, href]) => href)).toEqual(["https://example.org/a", "https://example.org/b"]);
  });
});

it.each([
  ["an address", "See https://example.org/a_b?c=1, or not", "https://example.org/a_b?c=1"],
  ["a host with www", "See www.example.org.", "http://www.example.org"],
  ["a mail address", "Write to a.b@example.org!", "mailto:a.b@example.org"],
])("links %s", (_, text, href) => {
  expect(JSON.stringify(blocks(text))).toContain(`"href":"${href}"`);
});

it("links no file's name", () => {
  expect(JSON.stringify(blocks("Run main.py, see README.md and node.js"))).not.toContain('"href"');
});

/** The same text, whichever way it comes. */
function grown(text: string, cuts: readonly number[]): Block[] {
  const live = new LiveMarkdown();
  let last: Block[] = [];
  for (const end of [...cuts, text.length]) {
    for (let state = live.grow(text.slice(0, end), 50); ; state = live.grow(text.slice(0, end), 50)) {
      last = state.tree.blocks;
      if (state.whole && !state.pausing) break;
    }
  }
  return last;
}

describe("a text that grows", () => {
  const text =
    "Title\n---\n\nA *para*graph\nof lines\n\n- a\n  - b\n\n- c\n* other\n\n1. x\n2. y\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n```ts\nlet a;\n\n```\nafter\n\n> q\n\n***\nend";

  it("is parsed the same in any chunks", () => {
    const whole = blocks(text);
    expect(
      grown(
        text,
        Array.from(text, (_, index) => index),
      ),
    ).toEqual(whole);
    for (let cut = 0; cut < text.length; cut++) expect(grown(text, [cut])).toEqual(whole);
  });

  it("keeps the blocks that are finished", () => {
    const live = new LiveMarkdown();
    const before = live.grow("# a\n\nb\n\nc", 50).tree.blocks;
    const after = live.grow("# a\n\nb\n\nc and more", 50).tree.blocks;
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).toEqual({ t: "p", c: ["c and more"] });
  });

  it("restarts with another text", () => {
    const live = new LiveMarkdown();
    live.grow("# a\n\nb\n\n", 50);
    expect(live.grow("c", 50).tree.blocks).toEqual([{ t: "p", c: ["c"] }]);
  });

  it("shows unparsed text as plain text", () => {
    const live = new LiveMarkdown();
    const { tree, whole } = live.grow("# a\n\nb\n\n", 0);
    expect(whole).toBe(false);
    expect(tree.blocks).toEqual([{ t: "plain", from: 0, to: 8, unread: true }]);
  });

  it("formats an end whose parse was slow once the text pauses", () => {
    const live = new LiveMarkdown();
    const clock = vi.spyOn(performance, "now");
    let now = 0;
    clock.mockImplementation(() => (now += 20));
    const before = live.grow("a *b*", 50);
    expect(before).toMatchObject({ tree: { blocks: blocks("a *b*") }, pausing: false });
    const growing = live.grow("a *b* and *c*", 50);
    expect(growing.tree.blocks).toEqual([...blocks("a *b*"), { t: "plain", from: 5, to: 13, unread: true }]);
    expect(growing.pausing).toBe(true);
    clock.mockRestore();
    const paused = live.grow("a *b* and *c*", 50);
    expect(paused).toMatchObject({ tree: { blocks: blocks("a *b* and *c*") }, pausing: false });
    expect(live.grow("a *b* and *c*, *d*", 50).tree.blocks).toEqual(blocks("a *b* and *c*, *d*"));
  });
});

it("no words are lost next to any markup", () => {
  const marks = [
    "*",
    "_",
    "`",
    "[",
    "](",
    ")",
    "|",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "1. ",
    "# ",
    "```\n",
    "    ",
    "~~",
    "<a",
    "-->",
    "&",
    "\\",
    "---\n",
    "![",
  ];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 300; round++) {
    let text = "";
    for (let at = 0; at < 60; at++) text += `${marks[random(marks.length)]}${random(2) ? `w${at}w ` : ""}`;
    const { blocks: all } = parseMarkdown(text);
    const shown = all.map((block) => wordsOf(block, text)).join("\n");
    const definitions = text
      .split("\n")
      .filter((line) => /\]:/.test(line))
      .join("\n");
    for (const [word] of text.matchAll(/w\d+w/g)) {
      // A link's address, a definition and a fence's language aren't words of the text.
      const elsewhere = new RegExp(
        `\\]\\([^)]*${word}|!\\[[^\\]]*${word}|(?:\`\`\`|~~~).*${word}|<[^>]*${word}`,
      );
      if (elsewhere.test(text) || definitions.includes(word)) continue;
      expect(shown, JSON.stringify(text)).toContain(word);
    }
  }
});
