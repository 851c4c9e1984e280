import { z } from "zod";
import { PartQuery } from "~/features/knowledge/documents/document-input.schema";
import { DeletedDocument } from "~/features/knowledge/documents/document-view.schema";
import { listDeleted } from "~/features/knowledge/documents/removal/document-removal.service.server";
import { endpoint, paged, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/deleted",
  tag: "Documents",
  GET: endpoint({
    summary: "List deleted documents that you can restore, last deleted first",
    access: "documents.write",
    query: PartQuery,
    response: z.array(DeletedDocument),
    handle: ({ actor, query, request }) => {
      const { documents, next } = listDeleted(actor, query);
      return paged(request, documents, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
