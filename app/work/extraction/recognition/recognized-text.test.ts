import { describe, expect, it } from "vitest";
import { readRecognized } from "./recognized-text";

type Row = [paragraph: number, line: number, text: string, confidence?: number];

/** A table as Tesseract writes it, each word in the first block. */
const tableOf = (...rows: Row[]) =>
  [
    "1\t1\t0\t0\t0\t0\t0\t0\t900\t900\t-1\t",
    ...rows.map(
      ([paragraph, line, text, confidence = 90], at) =>
        `5\t1\t1\t${paragraph}\t${line}\t${at}\t9\t9\t9\t9\t${confidence}\t${text}`,
    ),
  ].join("\n");

describe("what Tesseract recognized", () => {
  it("is read in paragraphs, of lines that are joined", () => {
    const table = tableOf([1, 1, "The"], [1, 1, "pres-"], [1, 2, "sure"], [1, 2, "fell."], [2, 1, "Next."]);
    expect(readRecognized(table)).toEqual({ text: "The pressure fell.\n\nNext.", confidence: 90 });
  });

  it("has no spaces between Chinese characters", () => {
    expect(readRecognized(tableOf([1, 1, "假"], [1, 1, "期"], [1, 1, "of"], [1, 1, "2026"])).text).toBe(
      "假期 of 2026",
    );
  });

  it("leaves out paragraphs that are noise by the confidence of their characters", () => {
    const table = tableOf([1, 1, "Invoice", 88], [2, 1, "~e", 20], [2, 1, "I", 95], [3, 1, "total", 61]);
    expect(readRecognized(table).text).toBe("Invoice\n\ntotal");
  });

  it("is nothing on a page that is mostly noise, and on one without words", () => {
    const photo = tableOf([1, 1, "oa", 93], [2, 1, "ee~,", 15], [3, 1, "lS", 40]);
    expect(readRecognized(photo).text).toBe("");
    expect(readRecognized(tableOf([1, 1, " ", 95]))).toEqual({ text: "", confidence: 0 });
  });
});
