import { Batch, BatchId } from "~/features/knowledge/ingestion/batches/batches.schema";
import { retryBatch } from "~/features/knowledge/ingestion/batches/retries.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/batches/{id}/retry",
  tag: "Documents",
  POST: endpoint({
    summary: "Retry the failed documents of a batch, or its sitemap",
    access: "documents.write",
    params: BatchId,
    response: Batch,
    status: 202,
    handle: async ({ actor, params }) => (await retryBatch(actor, params.id)).batch,
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
