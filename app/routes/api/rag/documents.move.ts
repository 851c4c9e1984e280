import { moveDocument } from "~/features/knowledge/documents/document-changes.service.server";
import { DocumentId, MoveInput } from "~/features/knowledge/documents/document-input.schema";
import { DocumentDetail } from "~/features/knowledge/documents/document-view.schema";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/{id}/move",
  tag: "Documents",
  POST: endpoint({
    summary: "Move a document up or down in its category",
    access: "documents.write",
    params: DocumentId,
    body: MoveInput,
    response: DocumentDetail,
    handle: ({ actor, params, body }) => moveDocument(actor, params.id, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
