import { z } from "zod";
import { reorderCategory } from "~/features/knowledge/documents/document-changes.service.server";
import { ReorderInput } from "~/features/knowledge/documents/document-input.schema";
import { Document } from "~/features/knowledge/documents/documents.schema";
import { endpoint, paged, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/reorder",
  tag: "Documents",
  POST: endpoint({
    summary: "Reorder the documents of a category",
    access: "documents.write",
    body: ReorderInput,
    response: z.array(Document),
    handle: async ({ actor, body, request }) => {
      const { documents, next } = await reorderCategory(actor, body);
      const list = `/api/rag/documents?category=${encodeURIComponent(body.category)}`;
      return paged(request, documents, next, list);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
