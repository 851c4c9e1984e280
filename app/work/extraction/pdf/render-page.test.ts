import { describe, expect, it } from "vitest";
import { makePdf } from "../../../../tests/support/document-files";
import { Pdf } from "./pdfium";
import { type Bitmap, renderPage, toPgm } from "./render-page";

/** A page whose left half is red. */
const halfRed = makePdf([[]], {
  content: () => ({ dictionary: "", data: Buffer.from("1 0 0 rg 0 0 297.5 842 re f") }),
});

const render = async (bytes: Uint8Array, ...[number, options]: [number, Parameters<typeof renderPage>[2]]) =>
  renderPage(await Pdf.open(bytes), number, options);
const pixel = ({ pixels, width, colors }: Bitmap, x: number, y: number) => {
  const bytes = colors === "gray" ? 1 : 4;
  return [...pixels.subarray((y * width + x) * bytes, (y * width + x + 1) * bytes)];
};

describe("a page as a bitmap", () => {
  it("has the colors of the page, at a width in pixels", async () => {
    const bitmap = await render(halfRed, 1, { colors: "rgba", size: { width: 101 } });
    expect([bitmap.width, bitmap.height, bitmap.pixels.length]).toEqual([101, 143, 101 * 143 * 4]);
    expect([pixel(bitmap, 10, 70), pixel(bitmap, 90, 70)]).toEqual([
      [255, 0, 0, 255],
      [255, 255, 255, 255],
    ]);
  });

  it("is gray at a resolution, as a file for text recognition", async () => {
    const bitmap = await render(halfRed, 1, { colors: "gray", size: { dpi: 144 } });
    expect([bitmap.width, bitmap.height]).toEqual([1190, 1684]);
    expect(pixel(bitmap, 10, 70)[0]).toBeLessThan(128);
    expect(pixel(bitmap, 1180, 70)).toEqual([255]);
    const file = Buffer.from(toPgm(bitmap));
    expect(file.subarray(0, 17).toString("latin1")).toBe("P5\n1190 1684\n255\n");
    expect(file.length).toBe(17 + 1190 * 1684);
  });

  it("shows the values of a form", async () => {
    const bytes = makePdf([[]], {
      catalog: "/AcroForm << /Fields [7 0 R] /DA (/Helv 12 Tf 0 g) >>",
      page: () => "/Annots [7 0 R]",
      objects: [
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (n) /V (MMMM) /DA (/Helv 12 Tf 0 g) /Rect [100 100 200 118] >>",
      ],
    });
    const { pixels } = await render(bytes, 1, { colors: "gray", size: { dpi: 72 } });
    expect(pixels.some((brightness) => brightness < 128)).toBe(true);
  });

  it("is bounded, however large the page is", async () => {
    const huge = Buffer.from(
      Buffer.from(halfRed).toString("latin1").replace("[0 0 595 842]", "[0 0 9e5 9e5]"),
      "latin1",
    );
    const { width, height } = await render(huge, 1, { colors: "gray", size: { dpi: 600 } });
    expect(width * height).toBeLessThan(16_100_000);
    const { width: wide } = await render(halfRed, 1, { colors: "gray", size: { width: 1_000_000 } });
    expect(wide).toBeLessThan(4_000);
  });

  it.each([0, 2, 1.5])("of a page that it hasn't, such as %s, is refused", async (number) => {
    await expect(render(halfRed, number, { colors: "gray", size: { dpi: 72 } })).rejects.toThrow(
      `This PDF has no page ${number}.`,
    );
  });
});
