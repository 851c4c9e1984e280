import { BatchId } from "~/features/knowledge/batches.schema";
import { dismissBatch } from "~/features/knowledge/unsettled-batches.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/batches/{id}/dismiss",
  tag: "Documents",
  POST: endpoint({
    summary: "Take a batch that is over off the list of your batches",
    description:
      "Its documents stay as they are. It is listed again when something of it is retried and fails.",
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
