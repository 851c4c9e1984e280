import { endpoint, resource } from "~/http/resource.server";
import { Ingesting } from "~/work/documents/documents.schema";
import { IngestedId } from "~/work/documents/ingestion/ingest.schema";
import { cancelDocument } from "~/work/documents/jobs/work.service.server";

const route = resource({
  path: "/api/rag/documents/{id}/cancel",
  tag: "Documents",
  POST: endpoint({
    summary: "Cancel processing of a document",
    access: "documents.write",
    params: IngestedId,
    response: Ingesting,
    handle: ({ actor, params }) => cancelDocument(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
