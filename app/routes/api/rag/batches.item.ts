import { Batch, BatchId, BatchQuery } from "~/features/knowledge/ingestion/batches/batches.schema";
import { readBatch } from "~/features/knowledge/ingestion/batches/batches.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/batches/{id}",
  tag: "Documents",
  GET: endpoint({
    summary: "Get a batch's progress and documents, 50 per page",
    access: "documents.write",
    params: BatchId,
    query: BatchQuery,
    response: Batch,
    handle: ({ actor, params, query }) => readBatch(actor, params.id, query),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
