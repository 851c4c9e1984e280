import { IndexId, SearchIndex } from "~/features/knowledge/index/indexes.schema";
import { cancelIndex } from "~/features/knowledge/index/indexes.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/indexes/{id}/cancel",
  tag: "Documents",
  POST: endpoint({
    summary: "Cancel an index build",
    description: "The current index stays in use.",
    access: "settings.manage",
    params: IndexId,
    response: SearchIndex,
    handle: ({ actor, params }) => cancelIndex(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
