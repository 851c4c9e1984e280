import { SearchAnswer, SearchInput } from "~/features/knowledge/search.schema";
import { searchDocuments } from "~/features/knowledge/search.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/search",
  tag: "Documents",
  POST: endpoint({
    summary:
      "The passages that answer a query best, among the documents you see, with what their scores consist of",
    access: "documents.search",
    body: SearchInput,
    response: SearchAnswer,
    handle: ({ actor, body, context }) => searchDocuments(actor, body, context.closed),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
