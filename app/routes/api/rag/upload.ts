import { z } from "zod";
import type { MultipartPart } from "~/http/multipart.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { UPLOAD_LIMITS, UploadedFile, UploadForm } from "~/work/documents/ingestion/ingest.schema";
import { receiveUpload, type UploadPart } from "~/work/documents/ingestion/upload.service.server";

/** Browsers send an empty, nameless part for an empty file field. */
async function* filledIn(parts: AsyncIterable<MultipartPart>): AsyncGenerator<UploadPart> {
  for await (const part of parts) if (part.kind === "field" || part.fileName !== "") yield part;
}

const route = resource({
  path: "/api/rag/upload",
  tag: "Documents",
  POST: endpoint({
    summary: "Upload files",
    description:
      "A multipart form: the fields first, then up to 100 files of up to 50 MB each. Returns for each file its " +
      "document or its error; valid files are added even if others fail. `X-Batch-Id` is their batch. " +
      "422 if no file has a supported type.",
    access: "documents.write",
    form: UploadForm,
    upload: UPLOAD_LIMITS,
    response: z.array(UploadedFile),
    status: 202,
    handle: async ({ actor, parts, context }) => {
      const { batchId, files } = await receiveUpload(actor, filledIn(parts()), context.closed);
      return reply(files, { status: 202, headers: { "X-Batch-Id": batchId } });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
