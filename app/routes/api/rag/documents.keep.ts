import { DocumentId } from "~/features/knowledge/documents/document-input.schema";
import { DocumentDetail } from "~/features/knowledge/documents/document-view.schema";
import { keepPresentVersion } from "~/features/knowledge/ingestion/document-versions.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/{id}/keep",
  tag: "Documents",
  POST: endpoint({
    summary: "Keep the current version after a newer one failed",
    access: "documents.write",
    params: DocumentId,
    response: DocumentDetail,
    handle: ({ actor, params }) => keepPresentVersion(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
