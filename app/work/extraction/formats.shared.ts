export const MAX_FILE_BYTES = 50_000_000;

/** Suggested extensions. Other text files are accepted too: the content decides. */
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

export const ACCEPTED_FILES = ACCEPTED_ENDINGS.join(",");

export const ACCEPTED_FORMATS = "PDF, Word, Excel, PowerPoint, HTML, Markdown, CSV, JSON and plain text";
