import { type DocumentFormat, textOf } from "../format";
import { isTooComplex } from "../markdown/complexity";
import { readMarkdown } from "../markdown/read-markdown";
import { plainText } from "./text.format";

export const markdown: DocumentFormat = {
  label: "Markdown",
  endings: [".md", ".markdown"],
  types: ["text/markdown", "text/x-markdown"],
  isText: true,
  async read(file) {
    const text = textOf(file);
    if (!isTooComplex(text)) return readMarkdown(text);
    const document = await plainText.read(file);
    const note = "A paragraph has too many emphasis marks for Markdown, so the file was read as plain text.";
    return { ...document, facts: { ...document.facts, notes: [...(document.facts.notes ?? []), note] } };
  },
};
