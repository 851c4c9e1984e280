import { type BookType, set_cptable, utils, type WorkBook, write } from "@e965/xlsx";
import * as codePages from "@e965/xlsx/dist/cpexcel.full.mjs";
import { describe, expect, it } from "vitest";
import { readDocument } from "../index";

set_cptable(codePages);
const read = (bytes: Uint8Array, name = "book.xls") => readDocument({ bytes, name, contentType: "" });

function makeBook(rows: unknown[][], change?: (book: WorkBook) => void): WorkBook {
  const book = { SheetNames: ["Plan"], Sheets: { Plan: utils.aoa_to_sheet(rows) } };
  change?.(book);
  return book;
}
const toBytes = (book: WorkBook, bookType: BookType = "biff8"): Buffer =>
  write(book, { type: "buffer", bookType });

describe("an Excel file of 2003 and before", () => {
  it("shows its cells as their formats do", async () => {
    const book = makeBook([["Day", "Time", "Length", "Share", "Code", "Price", "True"]], ({ Sheets }) => {
      const cells = [
        { t: "n", v: 45366.322916666664, z: "dd.mm.yyyy hh:mm" },
        { t: "n", v: 0.3229166666666667, z: "hh:mm" },
        { t: "n", v: 1.104166666666667, z: "[h]:mm" },
        { t: "n", v: 0.075, z: "0.0%" },
        { t: "n", v: 1067, z: "00000" },
        { t: "n", v: -1299.5, z: '#,##0.00 "€"' },
        { t: "b", v: true },
      ];
      if (Sheets.Plan) utils.sheet_add_aoa(Sheets.Plan, [cells], { origin: "A2" });
    });
    expect((await read(toBytes(book))).text.split("\n").at(-1)).toBe(
      "2024-03-15 07:45 | 07:45 | 26:30 | 7.5% | 01067 | -1299.50 € | TRUE",
    );
  });

  it("has its merged cells in each row, notes with their row, links, and hidden sheets", async () => {
    const rows = [
      ["North", "Kiel", 10],
      ["", "Husum", 30],
    ];
    const book = makeBook(rows, (made) => {
      const { Plan } = made.Sheets;
      if (!Plan) return;
      Plan["!merges"] = [utils.decode_range("A1:A2")];
      Plan.C2.c = [{ a: "Ada", t: "Approved by the board" }];
      Plan.B1.l = { Target: "https://example.org/kiel" };
      made.SheetNames.push("Lists");
      made.Sheets.Lists = utils.aoa_to_sheet([["entry 4711"]]);
      made.Workbook = {
        Sheets: [
          { name: "Plan", Hidden: 0 },
          { name: "Lists", Hidden: 1 },
        ],
      };
    });
    expect(await read(toBytes(book))).toMatchObject({
      text: [
        "Plan",
        "North | Kiel (https://example.org/kiel) | 10\nNorth | Husum | 30",
        "Note on C2 (North | Husum | 30): Approved by the board",
        "Lists",
        "entry 4711",
      ].join("\n\n"),
      facts: {
        format: "Excel",
        pages: 2,
        sheets: ["Plan", "Lists"],
        notes: ["Hidden sheets were read, too: Lists."],
      },
    });
  });

  // The library's types don't name each kind that it writes.
  it.each(["biff5", "biff4" as "biff5", "biff2"] as const)(
    "of the time before 1997 is read: %s",
    async (kind) => {
      const bytes = toBytes(makeBook([["Caf_", 12]]), kind);
      bytes.write("\xe9", bytes.indexOf("Caf_") + 3, "latin1");
      expect((await read(bytes)).text).toContain("Café | 12");
    },
  );

  it("of another code page is read by it", async () => {
    const bytes = toBytes(makeBook([["_______", 12]]), "biff5");
    bytes.writeUInt16LE(1251, bytes.indexOf("\x42\0\x02\0", 0, "latin1") + 4);
    bytes.write("\xc4\xee\xe3\xee\xe2\xee\xf0", bytes.indexOf("_______"), "latin1");
    expect((await read(bytes)).text).toContain("Договор | 12");
  });

  it("is recognized by its content, and named so that its sheets are", async () => {
    const { facts } = await read(toBytes(makeBook([["a", "b"]])), "book.xlsx");
    expect(facts.notes).toEqual(["Read as Excel 97, not Excel as its name suggests."]);
  });

  it("with a password is refused", async () => {
    const bytes = toBytes(makeBook([["a"]]));
    // Behind the first record stands the one that says how to decrypt the rest (FILEPASS).
    bytes.write("\x2f\0\x06\0\0\0keyh", bytes.indexOf("\x09\x08\x10\0", 0, "latin1") + 20, "latin1");
    await expect(read(bytes)).rejects.toThrow(
      "This file is password-protected. Remove the password and try again.",
    );
  });

  it.each([
    ["cut", (bytes: Buffer) => bytes.subarray(0, 1000)],
    // Each sector of the table of sectors follows itself.
    ["without an end", (bytes: Buffer) => Buffer.from(bytes).fill(0, 512 * Math.floor(bytes.length / 1024))],
  ])("that is %s is refused", async (_, damage) => {
    await expect(read(damage(toBytes(makeBook([["a"]]))))).rejects.toMatchObject({ code: "invalid" });
  });
});
