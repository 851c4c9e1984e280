import { describe, expect, it } from "vitest";
import { makePdf } from "../../../../tests/support/document-files";
import { readDocument } from "../index";

interface Annotation {
  /** Entries of its dictionary. */
  entries: string;
  at?: [left: number, bottom: number, right: number, top: number];
}

/** Reads a page of texts with annotations. */
async function read(texts: Parameters<typeof makePdf>[0][number], annotations: readonly Annotation[]) {
  const names = annotations.map((_, at) => `${7 + at} 0 R`).join(" ");
  const bytes = makePdf([texts], {
    catalog: `/AcroForm << /Fields [${names}] >>`,
    page: () => `/Annots [${names}]`,
    objects: annotations.map(
      ({ entries, at = [72, 100, 90, 118] }) => `<< /Type /Annot /Rect [${at.join(" ")}] ${entries} >>`,
    ),
  });
  return readDocument({ bytes, name: "a.pdf", contentType: "" });
}

const widget = (entries: string, ...at: [number, number, number, number]): Annotation => ({
  entries: `/Subtype /Widget ${entries}`,
  at,
});

describe("a form's values", () => {
  it("stand beside their labels", async () => {
    const { text } = await read(
      [
        { text: "Surname:", y: 700 },
        { text: "First name:", x: 320, y: 700 },
        { text: "Approved", x: 110, y: 668 },
        { text: "Rejected", x: 223, y: 668 },
        { text: "Country:", y: 640 },
        { text: "Notes:", y: 600 },
      ],
      [
        widget("/FT /Tx /T (f) /V (Max)", 400, 695, 550, 713),
        widget("/FT /Tx /T (s) /V (Muster)", 150, 695, 300, 713),
        widget("/FT /Btn /T (a) /V /Yes /AS /Yes /AP << /N << /Yes null >> >>", 72, 665, 86, 679),
        widget("/FT /Btn /T (b) /V /Off /AS /Off /AP << /N << /Yes null >> >>", 200, 665, 214, 679),
        widget("/FT /Ch /Ff 131072 /T (c) /V (n) /Opt [[(s) (Sweden)] [(n) (Norway)]]", 150, 635, 300, 653),
        widget("/FT /Tx /Ff 4096 /T (m) /V (First line\nsecond line)", 150, 540, 400, 612),
      ],
    );
    expect(text.split(/\n+/)).toEqual([
      "Surname: Muster | First name: Max",
      "☒ Approved ☐ Rejected",
      "Country: Norway",
      "Notes: First line second line",
    ]);
  });

  it("have their own label where the page has none", async () => {
    const { text } = await read(
      [{ text: "Request", y: 700 }],
      [
        widget("/FT /Tx /T (Text1) /TU (Cost center) /V (CC-9)", 150, 395, 300, 413),
        widget("/FT /Tx /T (Room) /V (B 12)", 150, 295, 300, 313),
        widget("/FT /Tx /T (Text2) /V (spare)", 150, 195, 300, 213),
      ],
    );
    expect(text.split(/\n+/)).toEqual(["Request", "Cost center: CC-9", "Room: B 12", "spare"]);
  });

  it.each([
    ["a password", "/FT /Tx /Ff 8192 /V (secret)"],
    ["a hidden field", "/F 2 /FT /Tx /V (secret)"],
    ["a button", "/FT /Btn /Ff 65536 /MK << /CA (secret) >>"],
    ["an empty field", "/FT /Tx /V ()"],
  ])("don't include %s", async (_, entries) => {
    const { text } = await read(
      [{ text: "Form", y: 700 }],
      [widget(`/T (x) ${entries}`, 150, 695, 300, 713)],
    );
    expect(text).toBe("Form");
  });
});

describe("notes on a page", () => {
  it("follow its text with their authors, and free text as it is", async () => {
    const { text } = await read(
      [{ text: "Drawing", y: 700 }],
      [
        { entries: "/Subtype /FreeText /Contents (Valve of steel)" },
        { entries: "/Subtype /Text /T (Erika) /Contents (Check this)" },
        { entries: "/Subtype /Highlight /Contents (Too long)" },
        { entries: "/Subtype /Stamp /Name /Approved" },
        { entries: "/Subtype /Popup /Contents (twice)" },
        { entries: "/Subtype /Text /F 2 /Contents (hidden)" },
        { entries: "/Subtype /Highlight" },
      ],
    );
    expect(text.split("\n\n")).toEqual([
      "Drawing",
      "Valve of steel",
      "Note (Erika): Check this",
      "Note: Too long",
      "Stamp: Approved",
    ]);
  });
});
