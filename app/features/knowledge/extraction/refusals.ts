import type { Sniffed } from "./format";

const NOTHING_TO_READ = "Text recognition isn't supported.";

const SOUND = "This is an audio or video file. Add a transcript as text.";

interface Refusal {
  recognises(content: Sniffed): boolean;
  says: string;
}

const startsWith = (...starts: string[]) => ({
  recognises: ({ start, text }: Sniffed) => !text && starts.some((item) => start.startsWith(item)),
});
const holds = (...names: string[]) => ({
  recognises: ({ entries }: Sniffed) => names.some((name) => entries.has(name)),
});
/** Streams of the old Office container (OLE2), whose directory is UTF-16. */
const oldOffice = (...streams: string[]) => ({
  recognises: ({ start, bytes }: Sniffed) =>
    start.startsWith("\xd0\xcf\x11\xe0") &&
    streams.some((name) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(Buffer.from(name, "utf16le")),
    ),
});
const oldWord = (kind: string, ending: string, instead: string) =>
  `This is an old ${kind} file (${ending}). Save it as ${instead} and try again.`;

export const refusals: readonly Refusal[] = [
  {
    ...oldOffice("EncryptedPackage"),
    says: "This file is password-protected. Remove the password and try again.",
  },
  { ...oldOffice("WordDocument"), says: oldWord("Word", ".doc", ".docx") },
  { ...oldOffice("PowerPoint Document"), says: oldWord("PowerPoint", ".ppt", ".pptx") },
  { ...oldOffice("Workbook", "Book"), says: oldWord("Excel", ".xls", ".xlsx") },
  { ...oldOffice(""), says: "This file type isn't supported. Save it as PDF or .docx and try again." },
  {
    recognises: ({ start }) => start.startsWith("{\\rtf"),
    says: "This is a Rich Text file. Save it as .docx and try again.",
  },
  {
    ...holds("xl/workbook.bin"),
    says: "This is a binary Excel file (.xlsb). Save it as .xlsx and try again.",
  },
  {
    ...holds("META-INF/container.xml"),
    says: "This is an e-book (EPUB). Save it as PDF or HTML and try again.",
  },
  {
    ...holds("content.xml"),
    says: "This is an OpenDocument file. Save it as .docx, .xlsx or .pptx and try again.",
  },
  {
    ...holds("Index/Document.iwa", "Index.zip"),
    says: "This is a Pages, Numbers or Keynote file. Export it as PDF or to an Office format and try again.",
  },
  {
    recognises: ({ entries }) => entries.size > 0,
    says: "This is an archive. Unpack it and upload the files.",
  },
  {
    ...startsWith("\x1f\x8b", "7z\xbc\xaf", "Rar!", "\xfd7zXZ", "BZh", "\x28\xb5\x2f\xfd"),
    says: "This is an archive. Unpack it and upload the files.",
  },
  {
    ...startsWith("\x89PNG", "\xff\xd8\xff", "GIF8", "II*\0", "MM\0*", "BM", "\0\0\x01\0"),
    says: `This is an image. ${NOTHING_TO_READ}`,
  },
  {
    recognises: ({ start }) => /^RIFF[\s\S]{4}WEBP|^[\s\S]{4}ftyp(?:avif|heic|mif1)/.test(start),
    says: `This is an image. ${NOTHING_TO_READ}`,
  },
  { ...startsWith("ID3", "OggS", "fLaC", "RIFF", "\x1aE\xdf\xa3"), says: SOUND },
  { recognises: ({ start, text }) => !text && start.slice(4, 8) === "ftyp", says: SOUND },
];
