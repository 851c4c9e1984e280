import { endpoint, resource } from "~/http/resource.server";
import { IndexId, SearchIndex } from "~/work/index/indexes.schema";
import { cancelIndex } from "~/work/index/indexes.service.server";

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
