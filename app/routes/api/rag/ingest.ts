import { z } from "zod";
import { created, endpoint, reply, resource } from "~/http/resource.server";
import { Ingesting } from "~/work/documents/documents.schema";
import { Ingested, IngestInput } from "~/work/documents/ingestion/ingest.schema";
import { ingest } from "~/work/documents/ingestion/ingest.service.server";
import { TEXT_BODY_BYTES } from "~/work/documents/ingestion/text-length.shared";

const route = resource({
  path: "/api/rag/ingest",
  tag: "Documents",
  POST: endpoint({
    summary: "Ingest text or a URL",
    description:
      "Exactly one of `text` and `url`. 201 with the document when it is done within 20 seconds, 202 with its status " +
      "if it takes longer, 200 with the existing document if the content already exists. A document that fails within " +
      "that time returns 422 with the reason and is kept as failed.",
    access: "documents.write",
    body: IngestInput,
    maxBytes: TEXT_BODY_BYTES,
    response: z.union([Ingested, Ingesting]),
    status: 201,
    handle: async ({ actor, body, context }) => {
      const { done, document } = await ingest(actor, body, { signal: context.closed });
      const address = `/api/rag/documents/${document.id}`;
      if (!done) return reply(document, { status: 202, headers: { Location: address } });
      return document.duplicate ? reply(document) : created(document, address);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
