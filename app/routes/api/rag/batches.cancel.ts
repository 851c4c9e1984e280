import { Batch, BatchId } from "~/features/knowledge/ingestion/batches/batches.schema";
import { cancelBatch } from "~/features/knowledge/ingestion/batches/batches.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/batches/{id}/cancel",
  tag: "Documents",
  POST: endpoint({
    summary: "Cancel remaining documents of a batch",
    access: "documents.write",
    params: BatchId,
    response: Batch,
    handle: ({ actor, params }) => cancelBatch(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
