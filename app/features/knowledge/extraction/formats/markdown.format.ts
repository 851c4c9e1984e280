import { type DocumentFormat, textOf } from "../format";
import { isIntricate } from "../markdown/intricate";
import { readMarkdown } from "../markdown/read-markdown";
import { plainText } from "./text.format";

export const markdown: DocumentFormat = {
  label: "Markdown",
  endings: [".md", ".markdown"],
  types: ["text/markdown", "text/x-markdown"],
  text: true,
  async read(file) {
    const text = textOf(file);
    if (!isIntricate(text)) return readMarkdown(text);
    const document = await plainText.read(file);
    const note = "Its Markdown is too deeply nested, so it was read as plain text.";
    return { ...document, facts: { ...document.facts, notes: [...(document.facts.notes ?? []), note] } };
  },
};
