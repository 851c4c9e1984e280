import { describe, expect, it } from "vitest";
import { readDocument } from "../index";

const read = (body: string, head = "\\ansi\\ansicpg1252", name = "a.rtf") =>
  readDocument({
    bytes: new Uint8Array(Buffer.from(`{\\rtf1${head} ${body}}`, "latin1")),
    name,
    contentType: "",
  });
const textOf = async (body: string, head?: string) => (await read(body, head)).text;

describe("the characters of an RTF file", () => {
  it.each([
    ["\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", "\\ansi\\ansicpg1251", "Привет"],
    ["\\u8364? {\\uc2\\u-28672\\'8c\\'a7} \\uc0\\u228 x \\uc2\\u223 ssy", "\\ansi", "€ 退 äx ßy"],
    ["{\\uc3\\u55357 ???\\u56832 ???}!", "\\ansi", "😀!"],
    [
      "\\f1\\'f1\\'f3\\plain\\'f1",
      "\\ansi{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}}\\deff0",
      "суñ",
    ],
    ["\\f1\\'8c\\'8f\\'8co", "\\ansi{\\fonttbl{\\f1\\fcharset128 Mincho;}}", "件経"],
    ["a\\~b\\_c\\-d \\ldblquote e\\rdblquote  \\emdash\\{f\\}\\\\", "\\ansi", "a\u00a0b-cd “e” —{f}\\"],
    ["\\'81\\'94", "\\pc", "üö"],
    ["\\'8a", "\\mac", "ä"],
    ["gone{\\v hidden}{\\deleted too}", "\\ansi", "gone"],
    ["{\\upr{old}{\\*\\ud{new}}}", "\\ansi", "new"],
  ])("%s of %s are read", async (body, head, text) => {
    expect(await textOf(body, head)).toBe(text);
  });
});

describe("an RTF file", () => {
  it("has headings by their style or level, lists as shown, and paragraphs", async () => {
    const head =
      "\\ansi{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 heading 1;}{\\*\\cs10 Font;}{\\s5 Kapitel;}}";
    const item = (marker: string, text: string, level = 0) =>
      `\\pard\\ls1\\ilvl${level}{\\listtext\\pard\\plain ${marker}\\tab}${text}\\par`;
    const body =
      "\\pard\\s1 Tides\\par\\pard\\s0 High\\line water.\\par\\pard\\outlinelevel1 Storms\\par" +
      item("1.", "Open") +
      item("a)", "left", 1) +
      item("\\'b7", "dot") +
      "\\pard After\\par";
    expect(await textOf(body, head)).toBe(
      "Tides\n\nHigh\nwater.\n\nStorms\n\n1. Open\n  a) left\n- dot\n\nAfter",
    );
  });

  it("has tables, merged cells in each row", async () => {
    const row = (definition: string, ...cells: string[]) =>
      `\\trowd${definition}\\pard\\intbl ${cells.map((cell) => `${cell}\\cell `).join("")}\\row`;
    const body =
      "Before\\par" +
      row("\\cellx1\\cellx2", "Region", "Sum") +
      row("\\clvmgf\\cellx1\\cellx2", "North", "1\\par a") +
      row("\\clvmrg\\cellx1\\cellx2", "", "2") +
      "\\pard After\\par";
    expect(await textOf(body)).toBe("Before\n\nRegion | Sum\nNorth | 1 a\nNorth | 2\n\nAfter");
  });

  it("has notes, comments, boxes and fields; headers once; and says what it leaves out", async () => {
    const { text, title, facts } = await read(
      "{\\info{\\title Manual}{\\author Ada}{\\company X}}{\\header QP-0071\\par}{\\headerl QP-0071\\par}" +
        "Water{\\super\\chftn}{\\footnote\\pard\\plain {\\super\\chftn} At noon.\\par} rises" +
        "{\\*\\atnid A}{\\*\\atnauthor Ada}\\chatn{\\*\\annotation{\\*\\atnref 1}June is safer}" +
        "{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt  here}}{\\*\\shppict{\\pict\\pngblip 89504e}}{\\nonshppict{\\pict 00}}" +
        "{\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv y}}{\\shptxt In a box\\par}}{\\shprslt again}}.\\par" +
        "{\\object{\\*\\objclass Excel}{\\*\\objdata 00}{\\result shown}}\\par{\\*\\unknown lost}",
    );
    expect(text).toBe(
      "Water[1] rises here.\n\n[1] At noon.\n\nComment by Ada: June is safer\n\nIn a box\n\nshown\n\nQP-0071",
    );
    expect(title).toBe("Manual");
    expect(facts).toEqual({
      format: "RTF",
      author: "Ada",
      notes: ["Left out: 1 image, 1 embedded object."],
    });
  });

  it("is recognized despite its name, and one that breaks off says so", async () => {
    const bytes = new Uint8Array(Buffer.from("{\\rtf1\\ansi The tide{\\b turns"));
    const { text, facts } = await readDocument({ bytes, name: "a.txt", contentType: "" });
    expect(text).toBe("The tideturns");
    expect(facts.notes).toEqual([
      "The file breaks off, so its end may be missing.",
      "Read as RTF, not Text as its name suggests.",
    ]);
  });

  it("of binary data passes over them", async () => {
    expect(await textOf("a{\\pict\\bin5 }{}\\\\}b")).toBe("ab");
  });

  it("of groups in one another is refused", async () => {
    await expect(read("{".repeat(20_000))).rejects.toThrow("This RTF file is nested too deeply.");
  });
});
