import { endpoint, resource } from "~/http/resource.server";
import { Ingesting } from "~/work/documents/documents.schema";
import { IngestedId } from "~/work/documents/ingestion/ingest.schema";
import { retryDocument } from "~/work/documents/jobs/work.service.server";

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
