import { endpoint, resource } from "~/http/resource.server";
import { IndexId, SearchIndex } from "~/work/index/indexes.schema";
import { switchToIndex } from "~/work/index/indexes.service.server";

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
