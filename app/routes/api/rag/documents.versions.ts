import { z } from "zod";
import { parseWith } from "~/http/parse.server";
import { endpoint, paged, reply, resource } from "~/http/resource.server";
import { DocumentId, PartQuery } from "~/work/documents/document-input.schema";
import { DocumentDetail, DocumentVersion } from "~/work/documents/document-view.schema";
import {
  addDocumentVersion,
  receiveDocumentVersion,
} from "~/work/documents/ingestion/document-versions.service.server";
import { UPLOAD_LIMITS, VersionForm, VersionText } from "~/work/documents/ingestion/ingest.schema";
import { TEXT_BODY_BYTES } from "~/work/documents/ingestion/text-length.shared";
import { listVersions } from "~/work/documents/versions/document-parts.service.server";

const UPLOAD = { ...UPLOAD_LIMITS, files: 1 };

const isJson = (request: Request) => (request.headers.get("content-type") ?? "").includes("json");

const { loader, action } = resource({
  path: "/api/rag/documents/{id}/versions",
  tag: "Documents",
  GET: endpoint({
    summary: "List the kept versions of a document, newest first",
    access: "screens.read",
    params: DocumentId,
    query: PartQuery,
    response: z.array(DocumentVersion),
    handle: ({ actor, params, query, request }) => {
      const { versions, next } = listVersions(actor, params.id, query);
      return paged(request, versions, next);
    },
  }),
  POST: endpoint({
    summary: "Add a new version of a document",
    description:
      "A multipart form with one file of up to 50 MB, or for a text document, a JSON body with `text`. The current " +
      "version is searched until the new one is ready. A browser's form (`Accept: text/html`) is redirected to " +
      "the screen.",
    access: "documents.write",
    params: DocumentId,
    form: VersionForm,
    upload: UPLOAD,
    maxBytes: TEXT_BODY_BYTES,
    response: DocumentDetail,
    status: 202,
    handle: async ({ actor, params, json, parts, request, context }) => {
      const detail = isJson(request)
        ? await addDocumentVersion(actor, params.id, parseWith(VersionText, await json(), "body"))
        : await receiveDocumentVersion(actor, params.id, parts(), context.closed);
      return reply(detail, { status: 202 });
    },
  }),
});

export { action, loader };
