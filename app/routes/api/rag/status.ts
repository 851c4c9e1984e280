import { endpoint, resource } from "~/http/resource.server";
import { RagStatus } from "~/work/index/indexes.schema";
import { ragStatus } from "~/work/index/rag-status.service.server";

const route = resource({
  path: "/api/rag/status",
  tag: "Documents",
  GET: endpoint({
    summary: "Get the vector store, embedding model and indexes in effect",
    access: "screens.read",
    response: RagStatus,
    handle: ({ actor }) => ragStatus(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
