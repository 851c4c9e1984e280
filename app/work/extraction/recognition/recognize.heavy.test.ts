import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { makeScan } from "../../../../tests/support/scans";
import { Pdf } from "../pdf/pdfium";
import { type Bitmap, renderPage } from "../pdf/render-page";
import { recognizeBitmap } from "./tesseract";

/** A folder that `npm run install:ocr -- eng deu` filled, such as `data/ocr`; without it these tests are skipped. */
const folder = process.env.OCR_DATA ?? "";
const isInstalled = existsSync(`${folder}/eng.traineddata.gz`) && existsSync(`${folder}/deu.traineddata.gz`);
const languages = { folder, names: ["deu", "eng"] };

const LINES = [
  "The pressure at valve E-4472 fell to 3.2 bar.",
  "It was replaced by Erika Beispiel within two days.",
  "Die Stra\xdfe ist f\xfcr Lastwagen gesperrt.",
];

const scan = async () =>
  renderPage(await Pdf.open(await makeScan([LINES.map((text, at) => ({ text, y: 700 - at * 18 }))])), 1, {
    colors: "gray",
    size: { dpi: 200 },
  });

function turned({ width, height, pixels }: Bitmap): Bitmap {
  const turn = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) turn[x * height + (height - 1 - y)] = pixels[y * width + x] ?? 0;
  return { width: height, height: width, colors: "gray", pixels: turn };
}

describe.skipIf(!isInstalled)("a scanned page, read by Tesseract with the data in OCR_DATA", () => {
  it("has its text in two languages, upright and on its side", async () => {
    const page = await scan();
    const expected = LINES.join(" ");
    expect(await recognizeBitmap(page, languages)).toBe(expected);
    expect(await recognizeBitmap(turned(page), languages)).toBe(expected);
  });

  it("has none if it is blank or noise, or of one pixel", async () => {
    const square = (side: number, pixelAt: (at: number) => number): Bitmap => ({
      width: side,
      height: side,
      colors: "gray",
      pixels: Uint8Array.from({ length: side * side }, (_, at) => pixelAt(at)),
    });
    for (const bitmap of [
      square(300, () => 255),
      square(300, (at) => (at * 2_654_435_761) >>> 24),
      square(1, () => 0),
    ])
      expect(await recognizeBitmap(bitmap, languages)).toBe("");
  });
});

it.each([
  ["not Tesseract's", gzipSync("no data")],
  ["damaged", Buffer.from("no archive")],
])("refuses data that are %s, and says what to do", async (_, data) => {
  const bitmap: Bitmap = { width: 1, height: 1, colors: "gray", pixels: new Uint8Array(1) };
  const broken = mkdtempSync(join(tmpdir(), "languages-"));
  writeFileSync(join(broken, "eng.traineddata.gz"), data);
  await expect(recognizeBitmap(bitmap, { folder: broken, names: ["eng"] })).rejects.toThrow(
    "The installed data of eng can't be used. Run npm run install:ocr again.",
  );
  rmSync(broken, { recursive: true });
});
