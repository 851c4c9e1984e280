import { Batch, BatchId, BatchQuery } from "~/features/knowledge/batches.schema";
import { readBatch } from "~/features/knowledge/batches.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/batches/{id}",
  tag: "Documents",
  GET: endpoint({
    summary: "How far a batch is, with its documents, 100 a page",
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
