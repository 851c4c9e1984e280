import { z } from "zod";
import { text } from "./step-config";
import { defineStep } from "./step-type";

export const ingestDocument = defineStep({
  type: "ingest_document",
  label: "Ingest Document",
  description:
    "Add text or a web page to the documents, visible to everybody in the organization. It is processed after the step: a search in the same run doesn't find it yet.",
  category: "Data",
  node: "action",
  icon: "FilePlus",
  defaults: { text: "", url: "", title: "", category: "" },
  config: z
    .object({ text: text(200_000), url: text(4000), title: text(200), category: text(60) })
    .refine((config) => (config.text.trim() !== "") !== (config.url.trim() !== ""), {
      path: ["text"],
      message: "Enter either text or a URL",
    }),
  fields: [
    { name: "text", label: "Text", control: { kind: "textarea" } },
    { name: "url", label: "URL", hint: "Enter a URL instead of text.", control: { kind: "text" } },
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
    const filled = Object.entries(config).filter(([, value]) => value.trim() !== "");
    return { output: await services.ingestDocument(Object.fromEntries(filled)) };
  },
});
