import { Ingesting } from "~/features/knowledge/documents/documents.schema";
import { cancelDocument } from "~/features/knowledge/documents/jobs/work.service.server";
import { IngestedId } from "~/features/knowledge/ingestion/ingest.schema";
import { endpoint, resource } from "~/http/resource.server";

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
