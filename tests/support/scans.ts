import { deflateSync } from "node:zlib";
import { Pdf } from "~/work/extraction/pdf/pdfium";
import { renderPage } from "~/work/extraction/pdf/render-page";
import { makePdf, type PdfLine } from "./document-files";

/** A PDF whose pages are pictures of these lines, as a scanner makes them. */
export async function makeScan(pages: readonly PdfLine[][]): Promise<Uint8Array<ArrayBuffer>> {
  const typed = await Pdf.open(makePdf(pages));
  const pictures = pages.map((_, at) => {
    const { width, height, pixels } = renderPage(typed, at + 1, { colors: "gray", size: { dpi: 200 } });
    const data = deflateSync(pixels).toString("hex");
    const dictionary = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray`;
    return `<< ${dictionary} /BitsPerComponent 8 /Filter [/ASCIIHexDecode /FlateDecode] /Length ${data.length + 1} >>\nstream\n${data}>\nendstream`;
  });
  // Objects of its own follow a catalog, the pages' list, two fonts, and two objects for each page.
  const numberOf = (at: number) => 5 + pages.length * 2 + at;
  const scan = makePdf(
    pages.map(() => []),
    {
      content: () => ({ dictionary: "", data: Buffer.from("q 595 0 0 842 0 0 cm /I Do Q") }),
      page: (at) => `/Resources << /XObject << /I ${numberOf(at)} 0 R >> >>`,
      objects: pictures,
    },
  );
  return Uint8Array.from(scan);
}
