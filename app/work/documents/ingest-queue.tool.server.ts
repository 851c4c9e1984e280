import { z } from "zod";
import { OUTPUT_LIMIT } from "~/ai/tools/output-bounds.shared";
import type { Tool } from "~/ai/tools/tool.shared";
import { IngestInput } from "./ingestion/ingest.schema";
import { queueIngest } from "./ingestion/ingest.service.server";

const TEXT_LENGTH = 200_000;

const Input = z
  .object({
    url: z
      .string()
      .trim()
      .max(4000, "Use a shorter address")
      .optional()
      .describe("Complete address of a page or file to add; either this or text"),
    text: z
      .string()
      .max(TEXT_LENGTH, "Use at most 200,000 characters in the text")
      .optional()
      .describe("Text to add, as plain text or Markdown; either this or url"),
    title: z
      .string()
      .trim()
      .max(200, "Use at most 200 characters in the title")
      .optional()
      .describe("Title; by default the date of the text or the URL of the page"),
    category: z.string().trim().max(60).optional().describe("Name of the category to file it under"),
  })
  .superRefine((input, context) => {
    for (const issue of IngestInput.safeParse(input).error?.issues ?? [])
      context.addIssue({ code: "custom", path: issue.path, message: issue.message });
  });

const PRIVATE_NOTE =
  "Visible only to the person who asked, because this conversation contains passages from restricted documents. They can share it on its page.";

export const ingestQueue: Tool<typeof Input> = {
  name: "ingest.queue",
  title: "Add a document",
  description:
    "Queues a web page, a file at a URL, or text for the organization's documents, where qdrant.search finds it soon after. Returns at once with the document's id, title, status and page.",
  effect: "writes",
  // Text stays private; a fetched URL can leak data.
  effectOf: ({ url }) => (url === undefined ? "private" : "outside"),
  input: Input,
  timeoutMs: 10_000,
  outputLimit: OUTPUT_LIMIT,
  async run(input, { actor, isRestricted }) {
    // Text derived from restricted passages must not become public.
    const isPublic = !isRestricted();
    const access = isPublic ? {} : { visibility: "named" as const, readers: [] };
    const { id, title, status, duplicate } = queueIngest(
      actor,
      IngestInput.parse({ ...input, ...access, format: "markdown" }),
    );
    const notes = [
      duplicate ? "The same content is already in the library. Nothing was added." : "",
      isPublic || duplicate ? "" : PRIVATE_NOTE,
    ].filter(Boolean);
    return {
      id,
      title,
      status,
      page: `/rag/${id}`,
      ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
    };
  },
};
