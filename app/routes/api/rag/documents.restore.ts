import { endpoint, resource } from "~/http/resource.server";
import { DocumentId } from "~/work/documents/document-input.schema";
import { DocumentDetail } from "~/work/documents/document-view.schema";
import { restoreDocument } from "~/work/documents/removal/document-removal.service.server";

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
