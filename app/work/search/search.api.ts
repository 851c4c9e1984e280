import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { SearchAnswer, SearchInput } from "./search.schema";
import { searchDocuments } from "./search.service.server";

export const searchApi = endpoints("Documents", [
  endpoint({
    method: "POST",
    path: "/api/rag/search",
    summary: "Search the documents visible to you, with the parts of each score",
    access: "documents.search",
    body: SearchInput,
    response: SearchAnswer,
    handle: ({ actor, body, signal }) => searchDocuments(actor, body, signal),
  }),
]);
