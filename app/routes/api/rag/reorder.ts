import { reorderDocuments } from "~/features/knowledge/document-changes.service.server";
import { ReorderInput } from "~/features/knowledge/document-input.schema";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/reorder",
  tag: "Documents",
  POST: endpoint({
    summary: "Puts documents of a category first, in the order given",
    access: "documents.write",
    body: ReorderInput,
    status: 204,
    handle: ({ actor, body }) => {
      reorderDocuments(actor, body);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
