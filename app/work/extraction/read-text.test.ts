import { readFileSync } from "node:fs";
import { CFB } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { MAX_TEXT } from "./document-builder";
import { readDocument, readFileText } from "./index";
import { cutPieces, joinPieces } from "./stored-versions.thread";

const encode = (text: string) => new TextEncoder().encode(text);
const read = (content: string | Uint8Array, name = "", contentType = "") =>
  readDocument({ bytes: typeof content === "string" ? encode(content) : content, name, contentType });

async function blocksOf(content: string, name: string) {
  const { text, blocks } = await read(content, name);
  return blocks.map(({ kind, start, end, level, header }) => [
    `${kind}${level ?? ""}${header ? " with header" : ""}`,
    text.slice(start, end),
  ]);
}

describe("Markdown", () => {
  it("is read as blocks without markup", async () => {
    const source = `---\ntitle: "Tides"\nauthor: Ada\n---\n# Harbour & *sea*\n\nThe **lamp** is [lit](http://x) at \`dusk\`.\n
- one\n  - two\n1. first\n2. second\n\n\`\`\`js\nrun();\n\n  twice();\n\`\`\`\n
| A | B |\n|---|---|\n| 1 | 2 |\n\n> said\n\n<p>html</p>`;
    expect(await blocksOf(source, "a.md")).toEqual([
      ["list", "- title: Tides\n- author: Ada"],
      ["heading1", "Harbour & sea"],
      ["paragraph", "The lamp is lit at dusk."],
      ["list", "- one\n  - two"],
      ["list", "1. first\n2. second"],
      ["code", "run();\n\n  twice();"],
      ["table with header", "A | B\n1 | 2"],
      ["quote", "said"],
      ["paragraph", "html"],
    ]);
    expect(await read(source, "a.md")).toMatchObject({ title: "Tides", facts: { author: "Ada" } });
  });

  it.each([
    [
      "YAML",
      '---\r\ncontract: V-9917\r\ntags:\r\n  - "Team Rot"\r\n...\r\nBody',
      "- contract: V-9917\n- tags:\n  - Team Rot",
    ],
    ["YAML in lines", "---\nsummary: >\n  Two\n  lines\n# note\n---\nBody", "- summary: >\n  Two\n  lines"],
    [
      "other letters",
      "---\nVerträge: V-9917\n資料番号: DOC-5512\n---\nBody",
      "- Verträge: V-9917\n- 資料番号: DOC-5512",
    ],
    [
      "TOML",
      "+++\ncontract = \"V-9917\"\n[team]\nname = 'Rot'\n+++\nBody",
      "- contract: V-9917\n  [team]\n- name: Rot",
    ],
  ])("keeps the fields of its front matter: %s", async (_, source, list) => {
    expect(await blocksOf(source, "a.md")).toEqual([
      ["list", list],
      ["paragraph", "Body"],
    ]);
  });

  it("takes facts from its front matter, and none from text between rules", async () => {
    const { title, text, facts } = await read(
      readFileSync("tests/fixtures/documents/front-matter.md"),
      "front-matter.md",
    );
    expect([title, text]).toEqual(["", "- contract: V-9917\n- owner: Team Rot\n\nBody text."]);
    expect(facts).toEqual({ format: "Markdown" });
    const full = "---\nTitle: 'Tides'\nauthor: Ada\ndate: 2031-05-02T10:00:00Z\nlang: nb-NO\n---\nBody";
    expect(await read(full, "a.md")).toMatchObject({
      title: "Tides",
      facts: { author: "Ada", created: "2031-05-02", language: "nb-NO" },
    });
    expect((await read("---\nSome prose.\n\n---\nMore", "a.md")).text).toContain("Some prose.");
  });

  it("keeps the state of tasks", async () => {
    expect(await blocksOf("- [x] lamp\n  - [ ] *oil*\n- plain\n\n1. [X] log\n2. [ ] bell", "a.md")).toEqual([
      ["list", "- [x] lamp\n  - [ ] oil\n- plain"],
      ["list", "1. [x] log\n2. [ ] bell"],
    ]);
  });

  it("is refused if nested too deeply", async () => {
    await expect(read(`${"> ".repeat(50_000)}deep`, "a.md")).rejects.toThrow("nested too deeply");
  });
});

describe("HTML", () => {
  it("is read as headings, lists, tables, code and quotes", async () => {
    const page = `<html lang="en"><head><title>Tides</title></head><body><h2>Harbour</h2><p>One<br>two</p>
<ol><li>first<ul><li>inner</li></ul></li><li>second</li></ol><pre>run();\n  twice();</pre>
<table><caption>Hours</caption><tr><th>Month</th><th>Hours</th></tr><tr><td>May</td><td>9</td></tr></table>
<blockquote><p>said</p></blockquote><p hidden>no</p><p style="display: none">no</p></body></html>`;
    expect(await blocksOf(page, "")).toEqual([
      ["heading2", "Harbour"],
      ["paragraph", "One\ntwo"],
      ["list", "1. first\n  - inner\n2. second"],
      ["code", "run();\n  twice();"],
      ["paragraph", "Hours"],
      ["table with header", "Month | Hours\nMay | 9"],
      ["quote", "said"],
    ]);
    expect(await read(page)).toMatchObject({ title: "Tides", facts: { format: "HTML", language: "en" } });
  });
});

describe("delimited tables", () => {
  it.each([
    ["commas", 'Item,Price\n"Tea, green",3\nCake,4', ".csv"],
    ["semicolons", "Item;Price\nTea, green;3\nCake;4", ".csv"],
    ["tabs", "Item\tPrice\nTea, green\t3\nCake\t4", ".tsv"],
  ])("are split by %s", async (_, text, ending) => {
    expect(await blocksOf(text, `a${ending}`)).toEqual([
      ["table with header", "Item | Price\nTea, green | 3\nCake | 4"],
    ]);
  });

  it("are truncated at the row limit, with a note", async () => {
    const { facts } = await read("a,b\n".repeat(100_002), "a.csv");
    expect(facts.notes).toEqual(["Only the first 100,000 rows were read."]);
  });
});

describe("JSON", () => {
  it("is read as paths under headings", async () => {
    const value = {
      name: "Harbour",
      place: { country: "NO", berths: { large: 2, small: 7 } },
      tags: ["sea", "lamp"],
      prices: [
        { item: "Tea", price: 3 },
        { item: "Cake", price: 4 },
      ],
      story: `${"Long. ".repeat(60)}`,
    };
    expect(await blocksOf(JSON.stringify(value), "a.json")).toEqual([
      ["list", "- name: Harbour"],
      ["paragraph", `story: ${value.story.trim()}`],
      ["heading1", "place"],
      ["list", "- country: NO"],
      ["heading2", "berths"],
      ["list", "- large: 2\n- small: 7"],
      ["list", "- tags: sea, lamp"],
      ["heading1", "prices"],
      ["table with header", "item | price\nTea | 3\nCake | 4"],
    ]);
    expect((await read(JSON.stringify(value), "a.json")).title).toBe("Harbour");
  });

  it("may have one value per line, and is read as text if invalid", async () => {
    expect((await read('{"a":1,"b":2}\n{"a":3,"b":4}\n', "a.jsonl")).text).toBe("a | b\n1 | 2\n3 | 4");
    expect((await read("{ not json", "a.json")).facts.notes).toEqual([
      "This is not valid JSON, so it was read as plain text.",
    ]);
  });

  it("is truncated if nested too deeply", async () => {
    const deep = `${'{"a":['.repeat(50_000)}1${"]}".repeat(50_000)}`;
    expect((await read(deep, "a.json")).text.length).toBeLessThan(100);
  });
});

describe("plain text", () => {
  it("is split at empty lines, without invisible characters", async () => {
    expect(await blocksOf("\ufeffOne\r\ntwo\r\n\r\n \r\nthr\u00adee\u0007\u200b e\u0301", "a.txt")).toEqual([
      ["paragraph", "One\ntwo"],
      ["paragraph", "three é"],
    ]);
  });

  const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
  const GERMAN = "Die Straße nach Köln führt über die Brücke, und überall blühen die Bäume. ".repeat(3);
  // "日本語の文書です。" over and over, in Shift JIS.
  const SHIFT_JIS = Buffer.from("93fa967b8cea82cc95b68f9182c582b78142".repeat(20), "hex");

  it.each([
    ["windows-1252, undeclared", latin1(GERMAN), "", "Straße nach Köln"],
    ["windows-1252 declared as UTF-8", latin1(GERMAN), "text/plain; charset=utf-8", "Straße nach Köln"],
    ["UTF-8 declared as Latin-1", encode(GERMAN), "text/plain; charset=iso-8859-1", "Straße nach Köln"],
    ["Shift JIS, undeclared", SHIFT_JIS, "", "日本語の文書です。"],
    ["Shift JIS declared as UTF-8", SHIFT_JIS, "text/plain; charset=utf-8", "日本語の文書です。"],
    ["UTF-16 without a mark", Buffer.from(GERMAN, "utf16le"), "", "Straße nach Köln"],
    ["UTF-16 with one", Buffer.from(`\ufeff${GERMAN}`, "utf16le"), "", "Straße nach Köln"],
  ])("in %s is read", async (_, bytes, contentType, text) => {
    expect((await read(bytes, "a.txt", contentType)).text).toContain(text);
  });

  it("is truncated with a note, and its pieces join to the same text", async () => {
    const document = await read(`${"word ".repeat(30_000)}\n\n`.repeat(40), "a.txt");
    expect(document.text.length).toBeLessThanOrEqual(MAX_TEXT);
    expect(document.text.length).toBeGreaterThan(MAX_TEXT * 0.99);
    expect(document.facts.notes).toEqual(["Only the first 5,000,000 characters were read."]);
    const pieces = cutPieces(document);
    expect(Math.max(...pieces.map((piece) => piece.text.length))).toBeLessThan(51_000);
    expect(joinPieces(pieces)).toEqual({ text: document.text, blocks: document.blocks });
  });

  it("is detected by content rather than name", async () => {
    expect((await read("<!doctype html><p>Hello", "a.txt")).facts.format).toBe("HTML");
    expect((await read("Hello", "a.pdf")).facts).toEqual({
      format: "Text",
      notes: ["Read as Text, not PDF as its name suggests."],
    });
    expect((await read("a,b\nc,d", "", "text/csv; charset=utf-8")).facts.format).toBe("CSV");
  });

  it.each(["nope", "<!doctype html><p>Sign in"])(
    "is refused as an attachment named .pdf: %s",
    async (content) => {
      const file = { bytes: encode(content), contentType: "application/pdf" };
      await expect(readFileText({ ...file, name: "bad.pdf" })).rejects.toThrow("isn't a PDF file");
      expect((await readFileText({ ...file, name: "good.txt" })).text).toBe(content);
    },
  );
});

describe("an unreadable file", () => {
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  const noise = Uint8Array.from({ length: 9000 }, (_, at) => (at * at * 31) % 256);
  const old = (stream: string) => {
    const file = CFB.utils.cfb_new();
    CFB.utils.cfb_add(file, stream, new Uint8Array(10));
    return Buffer.from(CFB.write(file, { type: "buffer" }));
  };

  it.each([
    ["", "a.txt", "The file is empty. Choose another file."],
    [" \n\t ", "a.txt", "No text was found in this document. Add its content as text instead."],
    [noise, "a.txt", "This file contains binary data, not text."],
    [noise, "a.bin", "Save it as PDF, .docx or plain text and try again."],
    [noise, "a.pdf", "This PDF file is damaged. Repair it or export it again."],
    [
      old("EncryptedPackage"),
      "a.docx",
      "This file is password-protected. Remove the password and try again.",
    ],
    [old("VisioDocument"), "a.vsd", "This file type isn't supported. Save it as PDF or .docx and try again."],
    [
      latin1(`\x89PNG\r\n\x1a\n${"\0".repeat(99)}`),
      "a.txt",
      "This is an image. Text recognition isn't supported.",
    ],
    [latin1(`\x1f\x8b\x08${"\0".repeat(99)}`), "a.gz", "This is an archive."],
    [latin1(`\0\0\0\x20ftypisom${"\0".repeat(99)}`), "a.mp4", "This is an audio or video file."],
  ])("is refused with the reason (%#)", async (content, name, message) => {
    await expect(read(content, name)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(message),
    });
  });
});
