export const MAX_FILE_BYTES = 50_000_000;

/** Suggested extensions. Other text files are accepted too: the content decides. */
const ACCEPTED_ENDINGS = [
  ".pdf",
  ".docx",
  ".docm",
  ".dotx",
  ".doc",
  ".xlsx",
  ".xls",
  ".pptx",
  ".pptm",
  ".ppsx",
  ".ppsm",
  ".potx",
  ".potm",
  ".ppt",
  ".pps",
  ".pot",
  ".odt",
  ".ods",
  ".odp",
  ".ott",
  ".ots",
  ".otp",
  ".epub",
  ".rtf",
  ".html",
  ".htm",
  ".mht",
  ".mhtml",
  ".md",
  ".markdown",
  ".csv",
  ".tsv",
  ".json",
  ".jsonl",
  ".ndjson",
  ".txt",
  ".text",
  ".log",
  ".eml",
  ".emlx",
  ".msg",
  ".zip",
] as const;

export const ACCEPTED_FILES = ACCEPTED_ENDINGS.join(",");

export const ACCEPTED_FORMATS =
  "PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, HTML, Markdown, CSV, JSON, email, ZIP and plain text";

const REFUSED: readonly { endings: string; advice: string }[] = [
  { endings: "wpd wps pages", advice: "save it as .docx or PDF" },
  { endings: "xlsb numbers", advice: "save it as .xlsx or CSV" },
  { endings: "key", advice: "save it as .pptx or PDF" },
  { endings: "mobi azw azw3 djvu xps", advice: "save it as PDF or HTML" },
  { endings: "mbox pst ost", advice: "save its messages as .eml files" },
  {
    endings: "gz tgz tar 7z rar bz2 xz zst",
    advice: "unpack it and upload the files",
  },
  {
    endings: "png jpg jpeg gif webp bmp tif tiff ico heic heif avif svg psd ai eps raw",
    advice: "text in images isn't recognized",
  },
  {
    endings: "mp3 wav m4a aac ogg oga opus flac wma mp4 m4v mov avi mkv webm wmv mpg mpeg",
    advice: "add a transcript as text",
  },
  {
    endings: "bin exe dll so dylib msi dmg iso img jar war class o a obj pyc wasm apk ipa deb rpm",
    advice: "",
  },
  { endings: "db sqlite sqlite3 mdb accdb parquet ttf otf woff woff2 dwg vsd vsdx sketch fig", advice: "" },
];

const ADVICE = new Map(
  REFUSED.flatMap(({ endings, advice }) => endings.split(" ").map((ending) => [`.${ending}`, advice])),
);

/** Media types without text. Browsers report video for TypeScript's .ts. */
const NO_TEXT =
  /^(?:image|audio|video|font)\/|[/-](?:zip|x-tar|gzip|x-7z-compressed|vnd\.rar)(?:-compressed)?$/;
const TEXT_ENDINGS: ReadonlySet<string> = new Set([...ACCEPTED_ENDINGS, ".ts", ".mts", ".cts"]);

export const endingOf = (name: string): string => /\.[a-z\d]{1,10}$/i.exec(name)?.[0].toLowerCase() ?? "";

export function refusalOfFile({ name, type }: { name: string; type: string }): string | undefined {
  const ending = endingOf(name);
  const advice = ADVICE.get(ending) ?? (!TEXT_ENDINGS.has(ending) && NO_TEXT.test(type) ? "" : undefined);
  if (advice === undefined) return undefined;
  return advice ? `File type not supported: ${advice}` : "File type not supported";
}
