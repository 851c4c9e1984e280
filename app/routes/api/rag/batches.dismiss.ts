import { BatchId } from "~/features/knowledge/ingestion/batches/batches.schema";
import { dismissBatch } from "~/features/knowledge/ingestion/batches/unsettled-batches.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/batches/{id}/dismiss",
  tag: "Documents",
  POST: endpoint({
    summary: "Dismiss a finished batch",
    description: "Its documents are kept. It is listed again if a retried document fails.",
    access: "documents.write",
    params: BatchId,
    status: 204,
    handle: ({ actor, params }) => {
      dismissBatch(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
