import { DocumentId } from "~/features/knowledge/documents/document-input.schema";
import { DocumentDetail } from "~/features/knowledge/documents/document-view.schema";
import { restoreDocument } from "~/features/knowledge/documents/removal/document-removal.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/{id}/restore",
  tag: "Documents",
  POST: endpoint({
    summary: "Restore a document deleted within the last ten minutes",
    access: "documents.write",
    params: DocumentId,
    response: DocumentDetail,
    handle: ({ actor, params }) => restoreDocument(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
