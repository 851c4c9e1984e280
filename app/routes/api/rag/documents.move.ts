import { endpoint, resource } from "~/http/resource.server";
import { moveDocument } from "~/work/documents/document-changes.service.server";
import { DocumentId, MoveInput } from "~/work/documents/document-input.schema";
import { DocumentDetail } from "~/work/documents/document-view.schema";

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
