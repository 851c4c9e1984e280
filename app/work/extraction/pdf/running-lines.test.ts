import { describe, expect, it } from "vitest";
import { makePdf } from "../../../../tests/support/document-files";
import { readDocument } from "../index";

const HEADER = 810;
const FOOTER = 30;
const WORDS = ["apple", "birch", "cedar", "daisy", "elder", "fern", "grass", "hazel", "iris", "juniper"];

type Lines = (page: number) => { text: string; y?: number; x?: number }[];

/** Reads pages with a word of their own each. @returns what the header and footer left of each page, and notes */
async function read(count: number, header: Lines) {
  const pages = Array.from({ length: count }, (_, at) => [
    ...header(at + 1).map((line) => ({ y: HEADER, ...line })),
    { text: `${WORDS[at % WORDS.length]}.`, y: 600 },
  ]);
  const { text, facts } = await readDocument({ bytes: makePdf(pages), name: "a.pdf", contentType: "" });
  const left = text.split(/\n+/).filter((line) => !WORDS.includes(line.slice(0, -1)));
  return { left, notes: facts.notes };
}
const all = (count: number, text: (page: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at + 1));

describe("headers and footers", () => {
  it("are left out but for the first, and counted", async () => {
    const { left, notes } = await read(5, (page) => [
      { text: "Harbour Report" },
      { text: `${page}`, x: 290, y: FOOTER },
    ]);
    expect(left).toEqual(["Harbour Report"]);
    expect(notes).toEqual(["Left out: 9 repeated header and footer lines."]);
  });

  it.each<[string, (page: number) => string]>([
    ["- 3 -", (page) => `- ${page} -`],
    ["Page 3 of 12", (page) => `Page ${page} of 6`],
    ["Seite 3/12", (page) => `Seite ${page}/6`],
    ["Page 1003", (page) => `Page ${1000 + page}`],
    ["iv", (page) => ["i", "ii", "iii", "iv", "v", "vi"][page - 1] ?? ""],
  ])("may be page numbers such as %s", async (_, text) => {
    expect((await read(6, (page) => [{ text: text(page), y: FOOTER }])).left).toEqual([]);
  });

  it("may have a page number apart from their text, at alternate sides", async () => {
    const { left } = await read(6, (page) => [
      { text: page % 2 ? "Harbour Report" : `${page}` },
      { text: page % 2 ? `${page}` : "Harbour Report", x: 400 },
    ]);
    expect(left).toEqual(["Harbour Report"]);
  });

  it("may differ on even and odd pages, and lack on a cover", async () => {
    const { left } = await read(9, (page) =>
      page === 1 ? [] : [{ text: page % 2 ? "Harbour Report" : "The Keepers" }],
    );
    expect(left).toEqual(["The Keepers", "Harbour Report"]);
  });

  it("may be those of a long chapter", async () => {
    const { left } = await read(20, (page) => [{ text: page <= 10 ? "Storms" : "Calms" }]);
    expect(left).toEqual(["Storms", "Calms"]);
  });

  it("don't part a sentence that goes on behind them", async () => {
    const pages = all(4, (page) => `part ${WORDS[page]} of a sentence`).map((text) => [
      { text, y: 600 },
      { text: "Harbour Report", y: FOOTER },
    ]);
    const { text } = await readDocument({ bytes: makePdf(pages), name: "a.pdf", contentType: "" });
    expect(text.split("\n\n")[0]).toBe("Harbour Report");
    expect(text.split("\n\n")).toHaveLength(2);
  });
});

describe("lines that carry data", () => {
  it.each<[string, number, (page: number) => string]>([
    ["the numbers of invoices", 5, (page) => `Invoice RE-2024-100${page}`],
    ["numbers that ascend", 5, (page) => `Ticket ${page}`],
    ["numbers above the pages' count", 5, (page) => `${1000 + page}`],
    ["years", 5, (page) => `Annual figures ${2018 + page}`],
    ["the same total", 5, () => "Total due: 119.00 EUR"],
    ["the same share", 5, () => "Discount 40 %"],
    ["a header of two pages", 2, () => "Harbour Report"],
    ["page numbers of two pages", 2, (page) => `Page ${page} of 2`],
    ["a header with a part that differs", 5, (page) => `Harbour Report - Chapter ${WORDS[page]}`],
    ["a line on half of the pages", 8, (page) => (page % 4 < 2 ? "Offer" : `Order of ${WORDS[page]}`)],
  ])("stay, such as %s", async (_, count, text) => {
    const { left, notes } = await read(count, (page) => [{ text: text(page), y: FOOTER }]);
    expect(left).toEqual(all(count, text));
    expect(notes).toBeUndefined();
  });

  it("stay as the same clause above a text that differs", async () => {
    const clause = "The supplier is liable for late delivery,";
    const { left } = await read(5, (page) => [
      { text: clause, y: 80 },
      { text: `up to the value of lot ${WORDS[page]}.`, y: 66 },
    ]);
    expect(left.filter((line) => line.startsWith(clause))).toHaveLength(5);
  });
});
