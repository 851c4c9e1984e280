import { z } from "zod";
import { DocumentId, PartQuery } from "~/features/knowledge/document-input.schema";
import { listVersions } from "~/features/knowledge/document-parts.service.server";
import { DocumentVersion } from "~/features/knowledge/document-view.schema";
import { endpoint, paged, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/{id}/versions",
  tag: "Documents",
  GET: endpoint({
    summary: "The versions of a document that are kept, newest first",
    access: "screens.read",
    params: DocumentId,
    query: PartQuery,
    response: z.array(DocumentVersion),
    handle: ({ actor, params, query, request }) => {
      const { versions, next } = listVersions(actor, params.id, query);
      return paged(request, versions, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
