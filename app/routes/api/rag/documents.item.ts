import { patchDocument } from "~/features/knowledge/document-changes.service.server";
import { DocumentId, DocumentPatch } from "~/features/knowledge/document-input.schema";
import { deleteDocument } from "~/features/knowledge/document-removal.service.server";
import { DocumentDetail } from "~/features/knowledge/document-view.schema";
import { getDocument } from "~/features/knowledge/documents.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/{id}",
  tag: "Documents",
  GET: endpoint({
    summary: "One document",
    access: "screens.read",
    params: DocumentId,
    response: DocumentDetail,
    handle: ({ actor, params }) => getDocument(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Changes what the body names of a document",
    description: "Visibility and when its address is read again is for its creator, or an admin who sees it.",
    access: "documents.write",
    params: DocumentId,
    body: DocumentPatch,
    response: DocumentDetail,
    handle: ({ actor, params, body }) => patchDocument(actor, params.id, body),
  }),
  DELETE: endpoint({
    summary: "Deletes a document; for ten minutes it can be brought back",
    access: "documents.write",
    params: DocumentId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteDocument(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
