import { DocumentId } from "~/features/knowledge/document-input.schema";
import { keepPresentVersion } from "~/features/knowledge/document-versions.service.server";
import { DocumentDetail } from "~/features/knowledge/document-view.schema";
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
