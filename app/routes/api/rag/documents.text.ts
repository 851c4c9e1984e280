import { endpoint, resource } from "~/http/resource.server";
import { DocumentId, TextQuery } from "~/work/documents/document-input.schema";
import { TextPage } from "~/work/documents/document-view.schema";
import { readText } from "~/work/documents/versions/document-parts.service.server";

const route = resource({
  path: "/api/rag/documents/{id}/text",
  tag: "Documents",
  GET: endpoint({
    summary: "Get a page of a document's text with its structure",
    description: "`next` is the `from` of the next page.",
    access: "screens.read",
    params: DocumentId,
    query: TextQuery,
    response: TextPage,
    handle: ({ actor, params, query }) => readText(actor, params.id, query),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
