/** The largest file that is taken, in bytes. */
export const MAX_FILE_BYTES = 50_000_000;

/** The name endings of what can be read. Other text files are read too; what a file is, its content decides. */
export const ACCEPTED_ENDINGS = [
  ".pdf",
  ".docx",
  ".xlsx",
  ".pptx",
  ".html",
  ".htm",
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
] as const;

/** For the `accept` attribute of a file field. */
export const ACCEPTED_FILES = ACCEPTED_ENDINGS.join(",");

/** Shown before choosing a file. */
export const ACCEPTED_FORMATS = "PDF, Word, Excel, PowerPoint, HTML, Markdown, CSV, JSON and plain text";
