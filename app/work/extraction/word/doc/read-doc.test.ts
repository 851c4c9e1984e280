import { describe, expect, it } from "vitest";
import { AppError } from "~/core/errors";
import { type DocParagraph, makeDoc, packDoc, u16, u32 } from "../../../../../tests/support/doc-files";
import { readDocument } from "../../index";

const read = (bytes: Uint8Array, name = "a.doc") => readDocument({ bytes, name, contentType: "" });
const textOf = async (...args: Parameters<typeof makeDoc>) => (await read(makeDoc(...args))).text;

/** Modifiers as bytes. */
const on = (code: number) => [code & 0xff, code >> 8, 1];
const word = (code: number, value: number) => [code & 0xff, code >> 8, value & 0xff, value >> 8];
const IN_TABLE = on(0x2416);
const ROW_END = [...IN_TABLE, ...on(0x2417)];
const cell = (text: string): DocParagraph => ({ text, end: "\x07", properties: IN_TABLE });
const rowEnd: DocParagraph = { text: "", end: "\x07", properties: ROW_END };

describe("an old Word file", () => {
  it("is read as paragraphs and tables", async () => {
    const { text, blocks, facts } = await read(
      makeDoc([
        { text: "Prices" },
        cell("Item"),
        cell("Price"),
        rowEnd,
        cell("Tea"),
        { text: "3", properties: IN_TABLE },
        cell("to go"),
        rowEnd,
        { text: "All taxes included" },
      ]),
    );
    expect(text).toBe("Prices\n\nItem | Price\nTea | 3 to go\n\nAll taxes included");
    expect(blocks.map(({ kind }) => kind)).toEqual(["paragraph", "table", "paragraph"]);
    expect(facts.format).toBe("Word 97–2003");
  });

  it("keeps hyphens, breaks and quotes", async () => {
    expect(await textOf([{ text: "E\x1e4472 Sil\x1fben\x0b“zwei” €\ttab" }])).toBe(
      "E-4472 Silben\n“zwei” € tab",
    );
  });

  it("shows the results of its fields, and no page numbers", async () => {
    const link = "\x13HYPERLINK x\x14see \x13REF a\x14clause 4\x15\x15";
    expect(await textOf([{ text: `${link}, \x13PAGE\x147\x15end` }, { text: "half \x13a field" }])).toBe(
      "see clause 4, end\n\nhalf a field",
    );
  });

  it("counts images and what a form's boxes say", async () => {
    const { text, facts } = await read(
      makeDoc([
        {
          text: "Logo \x01\x13EMBED Excel.Sheet.8\x14\x01\x15, \x13 FORMCHECKBOX \x01\x14\x15paid, \x13HYPERLINK \x01\x14link\x15",
        },
      ]),
    );
    expect(text).toBe("Logo , paid, link");
    expect(facts.notes).toEqual(["Left out: 1 image, 1 embedded object, 1 check box or list of a form."]);
  });

  it("leaves out what was deleted or is hidden, and knows symbols", async () => {
    const fonts = Buffer.concat([
      u16(1, 0),
      Buffer.from([39 + 20]),
      Buffer.alloc(39),
      Buffer.from("Wingdings\0", "utf16le"),
    ]);
    const letters = [
      { start: 4, end: 8, properties: on(0x0800) },
      { start: 8, end: 12, properties: on(0x083c) },
      { start: 12, end: 13, properties: [0x09, 0x6a, 0, 0, 0xfe, 0xf0] },
    ];
    const { text, facts } = await read(
      makeDoc([{ text: "Pay ten nine( euro" }], { letters, structures: { 15: fonts } }),
    );
    expect(text).toBe("Pay ☑ euro");
    expect(facts.notes).toEqual(["Left out: 1 deleted passage, 1 passage of hidden text."]);
  });

  it("has headings by style, and numbers as shown", async () => {
    const style = (number: number, base: number) =>
      Buffer.concat([u16(18 + 4 + 4, number, (base << 4) | 1), Buffer.alloc(14), u16(0, 0), u16(2, 0)]);
    const styles = Buffer.concat([u16(4, 2, 18), style(0, 0xfff), style(2, 0xfff), style(0xffe, 1)]);
    const level = (text: string, format = 0) =>
      Buffer.concat([
        u32(1),
        Buffer.from([format, 0]),
        Buffer.alloc(22),
        u16(text.length),
        Buffer.from(text, "utf16le"),
      ]);
    const lists = Buffer.concat([u16(1), u32(77), Buffer.alloc(22), Buffer.from([0, 0])]);
    const overrides = Buffer.concat([u32(1), u32(77), Buffer.alloc(12)]);
    const levels = Buffer.concat([
      level("§ \0"),
      level("\0.\x01", 58),
      ...Array.from({ length: 7 }, () => level("")),
    ]);
    const item = (at: number) => [...word(0x460b, 1), 0x0a, 0x26, at];
    const { text, blocks } = await read(
      makeDoc(
        [
          { text: "Scope", style: 2 },
          { text: "Termination", properties: item(0) },
          { text: "Notice", properties: item(1) },
          { text: "In writing", properties: item(1) },
        ],
        // The levels follow the lists.
        { structures: { 1: styles, 73: Buffer.concat([lists, levels]), 74: overrides } },
      ),
    );
    expect(text).toBe("Scope\n\n§ 1 Termination\n  1.а Notice\n  1.б In writing");
    expect(blocks[0]).toMatchObject({ kind: "heading", level: 2 });
  });

  it("has its notes, comments and headers", async () => {
    const initials = Buffer.concat([
      u16(1),
      Buffer.from("A".padEnd(9, "\0"), "utf16le"),
      u16(0),
      Buffer.alloc(8),
    ]);
    const header = "\r\rQP-0071\rFoot\r\r\r";
    const text = await textOf([{ text: "Price\x02 net\x05." }], {
      stories: { 80: "\x02 Per piece.\r", 84: header, 92: "\x05June is safer.\r" },
      structures: {
        2: Buffer.concat([u32(5, 11), u16(1)]),
        3: u32(0, 13, 13),
        4: Buffer.concat([u32(10, 11), initials]),
        5: u32(0, 16, 16),
        11: u32(0, 0, 0, 0, 0, 0, 0, 1, 10, 10, 15, 16, 17),
        36: Buffer.concat([u16(3), Buffer.from("Ann", "utf16le")]),
      },
    });
    expect(text).toBe(
      "Price[1] net.\n\n[1] Per piece.\n\nComment by Ann: June is safer.\n\nHeader: QP-0071\n\nFooter: Foot",
    );
  });
});

describe("a hostile or damaged old Word file", () => {
  it.each([
    ["encrypted", makeDoc([{ text: "x" }], { flags: 0x0100 }), "password-protected"],
    ["older", makeDoc([{ text: "x" }], { version: 0x65 }), "older than Word 97"],
    ["without text", makeDoc([{ text: "" }]), "No text was found"],
    [
      "without its table",
      packDoc({ WordDocument: Buffer.alloc(5000, 0xc1) }),
      "older than Word 97|damaged|password",
    ],
  ])("that is %s is refused by name", async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(new RegExp(message));
  });

  it("whose sectors lead in a circle ends", async () => {
    const bytes = Buffer.from(makeDoc([{ text: "word ".repeat(2000) }]));
    const table = (bytes.readUInt32LE(76) + 1) * 512;
    for (let at = 0; at < 128; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt32LE(at === 0 ? 1 : at - 1, table + at * 4);
      await read(changed).catch((error) => expect(error).toBeInstanceOf(AppError));
    }
  });

  it("with any forged bytes is read or refused", async () => {
    const bytes = Buffer.from(makeDoc([{ text: "Some text" }, cell("a"), rowEnd]));
    let random = 1;
    const next = (max: number) => {
      random = (random * 48271) % 2147483647;
      return random % max;
    };
    for (let time = 0; time < 400; time++) {
      const changed = Buffer.from(bytes);
      for (let change = 0; change < 8; change++) {
        const at = next(changed.length - 512) + 512;
        changed[at] = [0, 0xff, 0x7f, next(256)][next(4)] ?? 0;
      }
      await read(changed).catch((error) => expect(error).toBeInstanceOf(AppError));
    }
  });
});
