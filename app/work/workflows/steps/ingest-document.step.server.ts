import { z } from "zod";
import { fileIds, text } from "./step-config";
import { defineStep, filesField } from "./step-type";

export const ingestDocument = defineStep({
  type: "ingest_document",
  label: "Ingest Document",
  description:
    "Add text, a web page or a file to the documents, visible to everybody in the organization. It is processed after the step: a search in the same run doesn't find it yet.",
  category: "Data",
  node: "action",
  icon: "FilePlus",
  defaults: { text: "", url: "", file: "", title: "", category: "" },
  config: z
    .object({
      text: text(200_000),
      url: text(4000),
      file: fileIds(1),
      title: text(200),
      category: text(60),
    })
    .refine(({ text, url, file }) => [text.trim(), url.trim(), file[0]].filter(Boolean).length === 1, {
      path: ["text"],
      message: "Enter either text or a URL, or give a file",
    }),
  fields: [
    { name: "text", label: "Text", control: { kind: "textarea" } },
    { name: "url", label: "URL", hint: "Enter a URL instead of text.", control: { kind: "text" } },
    filesField("file", "File", "Adds a step's file instead of text."),
    {
      name: "title",
      label: "Title",
      hint: "Leave blank to use the document's own title.",
      control: { kind: "text" },
    },
    {
      name: "category",
      label: "Category",
      hint: "Leave blank for Uncategorized.",
      control: { kind: "category" },
    },
  ],
  // The same text or URL yields the same document.
  outputs: { id: "The document's id", title: "The document's title", status: "State of its ingestion" },
  repeatable: true,
  timeoutMs: 60_000,
  async run({ config, services }) {
    const { file, ...texts } = config;
    const filled = Object.entries(texts).filter(([, value]) => value.trim() !== "");
    const [id] = file;
    return {
      output: await services.ingestDocument({ ...Object.fromEntries(filled), ...(id && { file: id }) }),
    };
  },
});
