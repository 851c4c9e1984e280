import { z } from "zod";
import { DocumentQuery } from "~/features/knowledge/documents/document-input.schema";
import { Document } from "~/features/knowledge/documents/documents.schema";
import { listDocuments } from "~/features/knowledge/documents/documents.service.server";
import { endpoint, paged, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents",
  tag: "Documents",
  GET: endpoint({
    summary: "List documents visible to you, by category, order and creation date",
    access: "screens.read",
    query: DocumentQuery,
    response: z.array(Document),
    handle: async ({ actor, query, request }) => {
      const { documents, next } = await listDocuments(actor, query);
      return paged(request, documents, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
