import { patchDocument } from "~/features/knowledge/documents/document-changes.service.server";
import { DocumentId, DocumentPatch } from "~/features/knowledge/documents/document-input.schema";
import { DocumentDetail } from "~/features/knowledge/documents/document-view.schema";
import { getDocument } from "~/features/knowledge/documents/documents.service.server";
import { deleteDocument } from "~/features/knowledge/documents/removal/document-removal.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/{id}",
  tag: "Documents",
  GET: endpoint({
    summary: "Get a document",
    access: "screens.read",
    params: DocumentId,
    response: DocumentDetail,
    handle: ({ actor, params }) => getDocument(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Change a document",
    description: "Only its creator, or an admin with access, can change its visibility and refresh schedule.",
    access: "documents.write",
    params: DocumentId,
    body: DocumentPatch,
    response: DocumentDetail,
    handle: ({ actor, params, body }) => patchDocument(actor, params.id, body),
  }),
  DELETE: endpoint({
    summary: "Delete a document; it can be restored for ten minutes",
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
