import { endpoint, resource } from "~/http/resource.server";
import { SearchAnswer, SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";

const route = resource({
  path: "/api/rag/search",
  tag: "Documents",
  POST: endpoint({
    summary: "Search the documents visible to you, with the parts of each score",
    access: "documents.search",
    body: SearchInput,
    response: SearchAnswer,
    handle: ({ actor, body, context }) => searchDocuments(actor, body, context.closed),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
