import { FindQuery, FoundAnswer } from "~/features/palette/find.schema";
import { findByName } from "~/features/palette/find.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/search",
  tag: "Search",
  GET: endpoint({
    summary: "Find conversations, documents, personas, models and settings by name",
    description: "Only what you have access to, at most five of each kind, last used first.",
    access: "screens.read",
    query: FindQuery,
    response: FoundAnswer,
    handle: async ({ actor, query }) => ({ found: await findByName(actor, query.q) }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
