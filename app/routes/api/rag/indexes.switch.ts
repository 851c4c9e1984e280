import { IndexId, SearchIndex } from "~/features/knowledge/index/indexes.schema";
import { switchToIndex } from "~/features/knowledge/index/indexes.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/indexes/{id}/switch",
  tag: "Documents",
  POST: endpoint({
    summary: "Switch search to a complete index",
    access: "settings.manage",
    params: IndexId,
    response: SearchIndex,
    handle: ({ actor, params }) => switchToIndex(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
