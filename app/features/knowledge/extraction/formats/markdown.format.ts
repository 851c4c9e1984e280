import { type DocumentFormat, textOf } from "../format";
import { readMarkdown } from "../markdown/read-markdown";

export const markdown: DocumentFormat = {
  label: "Markdown",
  endings: [".md", ".markdown"],
  types: ["text/markdown", "text/x-markdown"],
  text: true,
  read: (file) => readMarkdown(textOf(file)),
};
