import { endpoint, resource } from "~/http/resource.server";
import { Batch, BatchId } from "~/work/documents/ingestion/batches/batches.schema";
import { cancelBatch } from "~/work/documents/ingestion/batches/batches.service.server";

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
