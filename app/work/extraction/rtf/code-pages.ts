/** Code pages of fonts by their character set, where Windows has one. */
const OF_CHARSETS: Readonly<Record<number, string>> = {
  0: "cp1252",
  77: "macintosh",
  128: "cp932",
  129: "cp949",
  130: "cp949",
  134: "cp936",
  136: "cp950",
  161: "cp1253",
  162: "cp1254",
  163: "cp1258",
  177: "cp1255",
  178: "cp1256",
  186: "cp1257",
  204: "cp1251",
  222: "cp874",
  238: "cp1250",
  254: "cp437",
  255: "cp850",
};

/** The code page of a font's character set; undefined where the document's counts. */
export const pageOfCharset = (charset: number): string | undefined => OF_CHARSETS[charset];

export const pageOfNumber = (number: number): string =>
  number === 10000 ? "macintosh" : number === 65001 ? "utf8" : `cp${number}`;

/** Code pages by the words at the head of a file. */
export const PAGE_WORDS: Readonly<Record<string, string>> = {
  ansi: "cp1252",
  mac: "macintosh",
  pc: "cp437",
  pca: "cp850",
};

export type Decode = (bytes: string, page: string) => string;

/** Decodes bytes that are given as Latin-1 characters. */
export async function loadDecoder(): Promise<Decode> {
  const { default: iconv } = await import("iconv-lite");
  return (bytes, page) =>
    iconv.decode(Buffer.from(bytes, "latin1"), iconv.encodingExists(page) ? page : "cp1252");
}
