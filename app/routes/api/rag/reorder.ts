import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { reorderCategory } from "~/work/documents/document-changes.service.server";
import { ReorderInput } from "~/work/documents/document-input.schema";
import { Document } from "~/work/documents/documents.schema";

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
