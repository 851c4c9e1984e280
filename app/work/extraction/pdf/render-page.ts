import { AppError } from "~/core/errors";
import type { Pdf } from "./pdfium";

/** Rows from the top, without gaps: one byte for a pixel's brightness, or four for red, green, blue and alpha. */
export interface Bitmap {
  width: number;
  height: number;
  colors: "gray" | "rgba";
  pixels: Uint8Array;
}

export interface RenderOptions {
  colors: Bitmap["colors"];
  /** Width in pixels, or dots per inch. */
  size: { width: number } | { dpi: number };
}

/** A page at 300 dpi has 9 million. Larger ones are drawn smaller. */
const MAX_PIXELS = 16_000_000;
const POINTS_PER_INCH = 72;
const WHITE = 0xffffffff;

// PDFium's fpdfview.h names them FPDFBitmap_… and gives the flags.
const FORMATS = { gray: 1, rgba: 4 };
const ANNOTATIONS = 0x01;
const GRAYSCALE = 0x08;
const REVERSE_BYTE_ORDER = 0x10;

function sizeOf(width: number, height: number, { size }: RenderOptions): [width: number, height: number] {
  const requested = "dpi" in size ? size.dpi / POINTS_PER_INCH : size.width / width;
  const scale = Math.min(requested, Math.sqrt(MAX_PIXELS / (width * height)));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}

/**
 * Draws a page as people see it, with its notes and the values of its form.
 * @param number from 1
 * @throws AppError `not_found` if there is no such page, `invalid` if it is damaged
 */
export function renderPage(pdf: Pdf, number: number, options: RenderOptions): Bitmap {
  if (!Number.isInteger(number) || number < 1 || number > pdf.pageCount)
    throw new AppError("not_found", `This PDF has no page ${number}.`);
  const { call, form } = pdf;
  const drawn = pdf.withPage(number, (page): Bitmap => {
    const [width, height] = sizeOf(call.FPDF_GetPageWidthF(page), call.FPDF_GetPageHeightF(page), options);
    const bitmap = call.FPDFBitmap_CreateEx(width, height, FORMATS[options.colors], 0, 0);
    if (bitmap === 0) throw new RangeError("Array buffer allocation failed");
    call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    const flags = ANNOTATIONS | (options.colors === "gray" ? GRAYSCALE : REVERSE_BYTE_ORDER);
    call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags);
    call.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, flags);
    const pixels = copyRows(pdf, bitmap, width * (options.colors === "gray" ? 1 : 4), height);
    call.FPDFBitmap_Destroy(bitmap);
    return { width, height, colors: options.colors, pixels };
  });
  if (!drawn) throw new AppError("invalid", `Page ${number} of this PDF is damaged.`);
  return drawn;
}

function copyRows({ call }: Pdf, bitmap: number, rowBytes: number, height: number): Uint8Array {
  const [start, stride] = [call.FPDFBitmap_GetBuffer(bitmap), call.FPDFBitmap_GetStride(bitmap)];
  const memory = new Uint8Array(call.memory.buffer);
  const pixels = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const from = start + row * stride;
    pixels.set(memory.subarray(from, from + rowBytes), row * rowBytes);
  }
  return pixels;
}

/** A gray bitmap as a file that programs for text recognition read (https://netpbm.sourceforge.net/doc/pgm.html). */
export function toPgm({ width, height, pixels }: Bitmap): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]);
}
