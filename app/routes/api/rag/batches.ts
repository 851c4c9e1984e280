import { endpoint, reply, resource } from "~/http/resource.server";
import { Batch, BatchInput } from "~/work/documents/ingestion/batches/batches.schema";
import { createBatch } from "~/work/documents/ingestion/batches/batches.service.server";

const route = resource({
  path: "/api/rag/batches",
  tag: "Documents",
  POST: endpoint({
    summary: "Ingest several addresses or a sitemap",
    description:
      "Exactly one of `urls` and `sitemap`, at most 500 addresses. A sitemap, which can be compressed or an index of " +
      "sitemaps, is read in the background. Addresses outside its own site are skipped.",
    access: "documents.write",
    body: BatchInput,
    response: Batch,
    status: 202,
    handle: async ({ actor, body }) => {
      const batch = await createBatch(actor, body);
      return reply(batch, { status: 202, headers: { Location: `/api/rag/batches/${batch.id}` } });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
