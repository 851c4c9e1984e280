import { ACCEPTED_ENDINGS } from "./formats.shared";

const REFUSED: readonly { endings: string; instead: string }[] = [
  { endings: "doc dot rtf odt wpd wps pages", instead: "save it as .docx or PDF" },
  { endings: "xls xlt xlsb ods numbers", instead: "save it as .xlsx or CSV" },
  { endings: "ppt pps pot odp key", instead: "save it as .pptx or PDF" },
  { endings: "epub mobi azw azw3 djvu xps", instead: "save it as PDF or HTML" },
  { endings: "msg pst", instead: "save the message as text or PDF" },
  {
    endings: "zip gz tgz tar 7z rar bz2 xz zst",
    instead: "unpack it and upload the files",
  },
  {
    endings: "png jpg jpeg gif webp bmp tif tiff ico heic heif avif svg psd ai eps raw",
    instead: "text in images isn't recognized",
  },
  {
    endings: "mp3 wav m4a aac ogg oga opus flac wma mp4 m4v mov avi mkv webm wmv mpg mpeg",
    instead: "add a transcript as text",
  },
  {
    endings: "bin exe dll so dylib msi dmg iso img jar war class o a obj pyc wasm apk ipa deb rpm",
    instead: "",
  },
  { endings: "db sqlite sqlite3 mdb accdb parquet ttf otf woff woff2 dwg vsd vsdx sketch fig", instead: "" },
];

const INSTEAD = new Map(
  REFUSED.flatMap(({ endings, instead }) => endings.split(" ").map((ending) => [`.${ending}`, instead])),
);

/** Media types without text. Browsers report video for TypeScript's .ts. */
const NO_TEXT =
  /^(?:image|audio|video|font)\/|[/-](?:zip|x-tar|gzip|x-7z-compressed|vnd\.rar)(?:-compressed)?$/;
const TEXT_ENDINGS: ReadonlySet<string> = new Set([...ACCEPTED_ENDINGS, ".ts", ".mts", ".cts"]);

export function refusalOfFile({ name, type }: { name: string; type: string }): string | undefined {
  const ending = /\.[a-z\d]{1,10}$/i.exec(name)?.[0].toLowerCase() ?? "";
  const instead = INSTEAD.get(ending) ?? (!TEXT_ENDINGS.has(ending) && NO_TEXT.test(type) ? "" : undefined);
  if (instead === undefined) return undefined;
  return instead ? `File type not supported: ${instead}` : "File type not supported";
}
