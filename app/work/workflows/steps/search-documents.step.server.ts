import { z } from "zod";
import { numeric, requiredText, text } from "./step-config";
import { defineStep } from "./step-type";

export const searchDocuments = defineStep({
  type: "search_documents",
  label: "Search Documents",
  description: "Find passages in the documents that everybody in the organization can see.",
  category: "Data",
  node: "action",
  icon: "FileSearch",
  defaults: { query: "", topK: 5, category: "" },
  config: z.object({
    query: requiredText("Enter a search query", 2000),
    topK: numeric(1, 50).default(5),
    category: text(60),
  }),
  fields: [
    { name: "query", label: "Query", control: { kind: "text" } },
    { name: "topK", label: "Results", control: { kind: "number", min: 1, max: 50, step: 1 } },
    {
      name: "category",
      label: "Category",
      hint: "Leave blank to search all categories.",
      control: { kind: "category" },
    },
  ],
  outputs: {
    text: "All passages as one text",
    count: "Number of passages",
    results: "List of passages with title, content and score",
  },
  repeatable: true,
  timeoutMs: 60_000,
  async run({ config, services }) {
    const { query, topK } = config;
    const category = config.category.trim();
    return { output: await services.searchDocuments({ query, topK, ...(category ? { category } : {}) }) };
  },
});
