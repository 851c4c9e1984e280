import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { FindQuery, FoundResponse } from "./find.schema";
import { findItems } from "./find.service.server";

export const findApi = endpoints("Search", [
  endpoint({
    method: "GET",
    path: "/api/search",
    summary: "Find conversations, documents, personas, models and settings",
    description:
      "Only what you have access to, at most five of each kind, last used first. Conversations are found by their title and by your own messages.",
    access: "screens.read",
    query: FindQuery,
    response: FoundResponse,
    handle: async ({ actor, query }) => ({ found: await findItems(actor, query.q) }),
  }),
]);
