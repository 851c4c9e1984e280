import { endpoint, resource } from "~/http/resource.server";
import { Batch, BatchId, BatchQuery } from "~/work/documents/ingestion/batches/batches.schema";
import { readBatch } from "~/work/documents/ingestion/batches/batches.service.server";

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
