import type { Facts } from "./document.schema";

interface Encoding {
  /** As `decodeAs` takes it. */
  label: string;
  name: string;
  /** jschardet's name, in lower case, where it is another. */
  detected?: string;
}

/** What the encoding of a text without a declaration may be taken for. Rarer ones would win over the likely ones. */
export const ENCODINGS: readonly Encoding[] = [
  { label: "windows-1256", name: "Arabic (Windows-1256)" },
  { label: "iso-8859-6", name: "Arabic (ISO-8859-6)" },
  { label: "windows-1257", name: "Baltic (Windows-1257)" },
  { label: "iso-8859-13", name: "Baltic (ISO-8859-13)" },
  { label: "windows-1250", name: "Central European (Windows-1250)" },
  { label: "iso-8859-2", name: "Central European (ISO-8859-2)" },
  { label: "cp852", name: "Central European (DOS 852)" },
  { label: "maccenteuro", name: "Central European (Mac)", detected: "maclatin2" },
  { label: "gb18030", name: "Chinese, simplified (GB18030)" },
  { label: "big5", name: "Chinese, traditional (Big5)" },
  { label: "windows-1251", name: "Cyrillic (Windows-1251)" },
  { label: "iso-8859-5", name: "Cyrillic (ISO-8859-5)" },
  { label: "ibm866", name: "Cyrillic (DOS 866)" },
  { label: "x-mac-cyrillic", name: "Cyrillic (Mac)", detected: "maccyrillic" },
  { label: "koi8-r", name: "Cyrillic (KOI8-R)" },
  { label: "koi8-u", name: "Cyrillic (KOI8-U)" },
  { label: "windows-1253", name: "Greek (Windows-1253)" },
  { label: "iso-8859-7", name: "Greek (ISO-8859-7)" },
  { label: "cp737", name: "Greek (DOS 737)" },
  { label: "windows-1255", name: "Hebrew (Windows-1255)" },
  { label: "iso-8859-8", name: "Hebrew (ISO-8859-8)" },
  { label: "shift_jis", name: "Japanese (Shift_JIS)", detected: "cp932" },
  { label: "euc-jp", name: "Japanese (EUC-JP)" },
  { label: "euc-kr", name: "Korean (EUC-KR)", detected: "cp949" },
  { label: "windows-874", name: "Thai (TIS-620)", detected: "cp874" },
  { label: "windows-1254", name: "Turkish (Windows-1254)" },
  { label: "cp857", name: "Turkish (DOS 857)" },
  { label: "windows-1258", name: "Vietnamese (Windows-1258)" },
  { label: "windows-1252", name: "Western European (Windows-1252)" },
  { label: "iso-8859-15", name: "Western European (ISO-8859-15)", detected: "iso8859-15" },
  { label: "cp850", name: "Western European (DOS 850)" },
  { label: "cp437", name: "Western European (DOS 437)" },
  { label: "macintosh", name: "Western European (Mac)", detected: "macroman" },
];

export const encodingName = (label: string): string =>
  ENCODINGS.find((encoding) => encoding.label === label)?.name ?? label.toUpperCase();

/** Whether a person may choose the encoding: the text doesn't say its own. */
export const isGuessedOrChosen = ({ encodingBasis }: Facts): boolean =>
  encodingBasis !== undefined && encodingBasis !== "declared";
