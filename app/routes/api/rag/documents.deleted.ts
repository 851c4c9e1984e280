import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { PartQuery } from "~/work/documents/document-input.schema";
import { DeletedDocument } from "~/work/documents/document-view.schema";
import { listDeleted } from "~/work/documents/removal/document-removal.service.server";

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
