import { Batch, BatchId } from "~/features/knowledge/batches.schema";
import { readBatch } from "~/features/knowledge/batches.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/batches/{id}",
  tag: "Documents",
  GET: endpoint({
    summary: "How far a batch is, with each of its documents",
    access: "documents.write",
    params: BatchId,
    response: Batch,
    handle: ({ actor, params }) => readBatch(actor, params.id),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
