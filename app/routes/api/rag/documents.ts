import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { DocumentQuery } from "~/work/documents/document-input.schema";
import { Document } from "~/work/documents/documents.schema";
import { listDocuments } from "~/work/documents/documents.service.server";

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
