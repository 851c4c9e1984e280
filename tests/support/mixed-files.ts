import { utils, write } from "@e965/xlsx";
import { makeDoc } from "./doc-files";
import {
  makeDocx,
  makeEncryptedPdf,
  makePdf,
  makePptx,
  makeXlsx,
  makeZip,
  wordParagraph,
} from "./document-files";
import { makeEml, makeMsg } from "./mail-files";

const odf = (kind: string, body: string, mimetype: string) =>
  makeZip({
    mimetype: `application/vnd.oasis.opendocument.${mimetype}`,
    "content.xml": `<office:document-content><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  });

const mailHead = { From: "Ada <ada@example.org>", Date: "Tue, 4 Mar 2031 09:00:00 +0000" };

/** Many chunks. */
const LONG = Array.from({ length: 60 }, (_, hour) => `At hour ${hour} the gauge is read. `.repeat(20)).join(
  "\n\n",
);

/** Makes a file of each kind that says one sentence, by its ending. */
const KINDS: Readonly<Record<string, (sentence: string) => string | Uint8Array>> = {
  txt: (sentence) => `${sentence}\n\n${LONG}`,
  md: (sentence) => `# Report\n\n${sentence}\n\n${LONG}`,
  csv: (sentence) => `Number,Report\n1,${sentence}`,
  json: (sentence) => JSON.stringify({ report: sentence }),
  html: (sentence) => `<!doctype html><html><body><p>${sentence}</p></body></html>`,
  mht: (sentence) =>
    `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>${sentence}</p>\r\n--b--\r\n`,
  rtf: (sentence) => `{\\rtf1\\ansi ${sentence}\\par}`,
  pdf: (sentence) => makePdf([[{ text: sentence, y: 700 }]]),
  docx: (sentence) => makeDocx(wordParagraph(sentence)),
  xlsx: (sentence) =>
    makeXlsx({
      Reports: [
        ["Number", "Report"],
        [1, sentence],
      ],
    }),
  pptx: (sentence) => makePptx([{ title: "Report", body: [sentence] }]),
  doc: (sentence) => makeDoc([{ text: sentence }]),
  xls: (sentence) =>
    write(
      { SheetNames: ["Reports"], Sheets: { Reports: utils.aoa_to_sheet([["Report"], [sentence]]) } },
      { type: "buffer", bookType: "biff8" },
    ),
  odt: (sentence) => odf("text", `<text:p>${sentence}</text:p>`, "text"),
  ods: (sentence) =>
    odf(
      "spreadsheet",
      `<table:table table:name="Reports"><table:table-row><table:table-cell><text:p>${sentence}</text:p></table:table-cell></table:table-row></table:table>`,
      "spreadsheet",
    ),
  odp: (sentence) =>
    odf(
      "presentation",
      `<draw:page><draw:frame><draw:text-box><text:p>${sentence}</text:p></draw:text-box></draw:frame></draw:page>`,
      "presentation",
    ),
  epub: (sentence) =>
    makeZip({
      mimetype: "application/epub+zip",
      "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
      "b.opf":
        '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
      "a.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>${sentence}</p></body></html>`,
    }),
  eml: (sentence) => makeEml({ ...mailHead, Subject: "Report" }, sentence),
  msg: (sentence) => makeMsg({ properties: { "0037001F": "Report", "1000001F": sentence } }),
};

/** Makes files that are refused, with the reason. */
const REFUSED: Readonly<
  Record<string, readonly [make: (sentence: string) => string | Uint8Array, reason: RegExp]>
> = {
  "locked.pdf": [(sentence) => Buffer.concat([makeEncryptedPdf(), Buffer.from(`%${sentence}`)]), /password/],
  "picture.txt": [(sentence) => Buffer.from(`\x89PNG\r\n\x1a\n\0\0\0${sentence}`, "latin1"), /image/],
  "broken.docx": [
    (sentence) => Buffer.concat([makeDocx("").subarray(0, 700), Buffer.from(sentence)]),
    /damaged|couldn't be read|can't be read/,
  ],
};

export interface MixedFile {
  name: string;
  bytes: string | Uint8Array<ArrayBuffer>;
  /** Occurs in no other file. */
  word: string;
  /** Why it is refused; undefined if it can be read. */
  reason?: RegExp;
}

/** Makes files of all kinds in turn, every tenth of which is refused. */
export function makeMixedFiles(count: number): MixedFile[] {
  const kinds = Object.entries(KINDS);
  const refused = Object.entries(REFUSED);
  return Array.from({ length: count }, (_, at) => {
    // Of one length, so that none is the beginning of another.
    const word = `medley${String(at)
      .padStart(4, "0")
      .replace(/\d/g, (digit) => "bcdfghjkmp".charAt(Number(digit)))}`;
    const sentence = `The harbor master keeps the word ${word} in the book of tides.`;
    const toBytes = (made: string | Uint8Array) => (typeof made === "string" ? made : Uint8Array.from(made));
    const [name, [make, reason] = []] = refused[Math.floor(at / 10) % refused.length] ?? [];
    if (at % 10 === 9 && make)
      return { name: `${word} ${name}`, bytes: toBytes(make(sentence)), word, reason };
    const [ending, makeKind] = kinds[at % kinds.length] ?? ["txt", String];
    return { name: `${word}.${ending}`, bytes: toBytes(makeKind(sentence)), word };
  });
}
