import { FindQuery, FoundResponse } from "~/console/palette/find.schema";
import { findItems } from "~/console/palette/find.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/search",
  tag: "Search",
  GET: endpoint({
    summary: "Find conversations, documents, personas, models and settings",
    description:
      "Only what you have access to, at most five of each kind, last used first. Conversations are found by their title and by your own messages.",
    access: "screens.read",
    query: FindQuery,
    response: FoundResponse,
    handle: async ({ actor, query }) => ({ found: await findItems(actor, query.q) }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
