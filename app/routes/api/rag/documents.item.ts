import { endpoint, reply, resource } from "~/http/resource.server";
import { patchDocument } from "~/work/documents/document-changes.service.server";
import { DocumentId, DocumentPatch } from "~/work/documents/document-input.schema";
import { DocumentDetail } from "~/work/documents/document-view.schema";
import { getDocument } from "~/work/documents/documents.service.server";
import { deleteDocument } from "~/work/documents/removal/document-removal.service.server";

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
