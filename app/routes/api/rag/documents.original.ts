import { download } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";
import { DocumentId, VersionQuery } from "~/work/documents/document-input.schema";
import { readOriginal } from "~/work/documents/versions/document-parts.service.server";

const route = resource({
  path: "/api/rag/documents/{id}/original",
  tag: "Documents",
  GET: endpoint({
    summary: "Download a document's original",
    access: "screens.read",
    params: DocumentId,
    query: VersionQuery,
    produces: "application/octet-stream",
    handle: ({ actor, params, query, context }) =>
      download(context, readOriginal(actor, params.id, query.version)),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
