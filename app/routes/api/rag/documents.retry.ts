import { Ingesting } from "~/features/knowledge/documents/documents.schema";
import { retryDocument } from "~/features/knowledge/documents/jobs/work.service.server";
import { IngestedId } from "~/features/knowledge/ingestion/ingest.schema";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/documents/{id}/retry",
  tag: "Documents",
  POST: endpoint({
    summary: "Retry a failed document, or refresh it from its address",
    access: "documents.write",
    params: IngestedId,
    response: Ingesting,
    status: 202,
    handle: ({ actor, params }) => retryDocument(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
