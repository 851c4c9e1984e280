import { IndexId, SearchIndex } from "~/features/knowledge/indexes.schema";
import { cancelIndex } from "~/features/knowledge/indexes.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/indexes/{id}/cancel",
  tag: "Documents",
  POST: endpoint({
    summary: "Give up an index that is being made",
    description: "The one that serves goes on serving.",
    access: "settings.manage",
    params: IndexId,
    response: SearchIndex,
    handle: ({ actor, params }) => cancelIndex(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
