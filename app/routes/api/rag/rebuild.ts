import { endpoint, resource } from "~/http/resource.server";
import { SearchIndex } from "~/work/index/indexes.schema";
import { rebuildIndex } from "~/work/index/indexes.service.server";

const route = resource({
  path: "/api/rag/rebuild",
  tag: "Documents",
  POST: endpoint({
    summary: "Rebuild the search index with the current settings",
    description: "The current index is used until the new one is complete.",
    access: "settings.manage",
    response: SearchIndex,
    handle: ({ actor }) => rebuildIndex(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
