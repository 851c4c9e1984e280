import { endpoint, reply, resource } from "~/http/resource.server";
import { deleteCategory, renameCategory } from "~/work/documents/categories/categories.service.server";
import { DocumentId } from "~/work/documents/document-input.schema";
import { CategoryInput, DocumentCategory } from "~/work/documents/documents.schema";

const route = resource({
  path: "/api/rag/categories/{id}",
  tag: "Documents",
  PATCH: endpoint({
    summary: "Rename a category",
    access: "documents.write",
    params: DocumentId,
    body: CategoryInput,
    response: DocumentCategory,
    handle: ({ actor, params, body }) => renameCategory(actor, params.id, body.name),
  }),
  DELETE: endpoint({
    summary: "Delete a category and move its documents to Uncategorized",
    access: "documents.write",
    params: DocumentId,
    status: 204,
    handle: async ({ actor, params }) => {
      deleteCategory(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
