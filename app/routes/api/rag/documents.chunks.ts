import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { DocumentId, PartQuery } from "~/work/documents/document-input.schema";
import { DocumentChunk } from "~/work/documents/document-view.schema";
import { listDocumentChunks } from "~/work/documents/versions/document-parts.service.server";

const route = resource({
  path: "/api/rag/documents/{id}/chunks",
  tag: "Documents",
  GET: endpoint({
    summary: "List the searchable chunks of a document",
    access: "screens.read",
    params: DocumentId,
    query: PartQuery,
    response: z.array(DocumentChunk),
    handle: ({ actor, params, query, request }) => {
      const { chunks, next } = listDocumentChunks(actor, params.id, query);
      return paged(request, chunks, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
