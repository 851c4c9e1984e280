import { z } from "zod";
import { parseWith } from "~/core/parse";
import {
  accepted,
  created,
  endpoint,
  endpoints,
  file,
  image,
  page,
  reply,
} from "~/platform/endpoint/endpoint.shared";
import {
  DocumentId,
  EncodingInput,
  PageParams,
  PartQuery,
  SameNameInput,
  VersionQuery,
} from "../document-input.schema";
import { DocumentDetail, DocumentVersion, Ingesting } from "../documents.schema";
import { cancelDocument, retryDocument } from "../jobs/work.service.server";
import { listVersions, readOriginal, readPagePicture } from "../versions/document-parts.service.server";
import { cancelBatch, createBatch, readBatch } from "./batches.service.server";
import {
  addDocumentVersion,
  changeEncoding,
  receiveDocumentVersion,
  recognizeText,
} from "./document-versions.service.server";
import {
  Batch,
  BatchId,
  BatchInput,
  Cancelled,
  Ingested,
  IngestedId,
  IngestInput,
  UPLOAD_LIMITS,
  UploadedFile,
  UploadForm,
  VersionForm,
  VersionText,
} from "./ingest.schema";
import { ingest } from "./ingest.service.server";
import { TEXT_BODY_BYTES } from "./ingest.shared";
import { decideSameName } from "./same-name.service.server";
import { receiveUpload } from "./upload.service.server";

const UPLOAD = { ...UPLOAD_LIMITS, files: 1 };

export const uploadsApi = endpoints("Documents", [
  endpoint({
    method: "POST",
    path: "/api/rag/batches/{id}/cancel",
    summary: "Cancel remaining documents of a batch",
    access: "documents.write",
    params: BatchId,
    response: Cancelled,
    handle: ({ actor, params }) => cancelBatch(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/batches/{id}",
    summary: "Get a batch's progress",
    description: "`GET /api/rag/documents?batch=` lists its documents.",
    access: "documents.write",
    params: BatchId,
    response: Batch,
    handle: ({ actor, params }) => readBatch(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/batches",
    summary: "Ingest several addresses or a sitemap",
    description:
      "Exactly one of `urls` and `sitemap`, at most 500 addresses. A sitemap, which can be compressed or an index of " +
      "sitemaps, is read in the background. Addresses outside its own site are skipped.",
    access: "documents.write",
    body: BatchInput,
    response: Batch,
    status: 202,
    handle: async ({ actor, body }) => {
      const id = await createBatch(actor, body);
      return accepted(await readBatch(actor, id), `/api/rag/batches/${id}`);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/cancel",
    summary: "Cancel processing of a document",
    access: "documents.write",
    params: IngestedId,
    response: Ingesting,
    handle: ({ actor, params }) => cancelDocument(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/encoding",
    summary: "Read a document's original again in another encoding",
    description:
      "For a text that doesn't say its encoding: `version.facts.encodingBasis` is `guessed`, `uncertain` or `chosen`. The " +
      "result is a new version; later ones are read in this encoding too unless they say theirs.",
    access: "documents.write",
    params: DocumentId,
    body: EncodingInput,
    response: DocumentDetail,
    status: 202,
    handle: async ({ actor, params, body, signal }) =>
      accepted(await changeEncoding(actor, params.id, body, signal)),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/recognition",
    summary: "Read a document's original again with text recognition",
    description:
      "For a PDF with pages that are pictures (`version.facts.imagePages` and `recognizedPages`), where recognition is " +
      "installed. The result is a new version.",
    access: "documents.write",
    params: DocumentId,
    response: DocumentDetail,
    status: 202,
    handle: async ({ actor, params, signal }) => accepted(await recognizeText(actor, params.id, signal)),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents/{id}/original",
    summary: "Download a document's original",
    access: "screens.read",
    params: DocumentId,
    query: VersionQuery,
    produces: "application/octet-stream",
    handle: ({ actor, params, query }) => file(readOriginal(actor, params.id, query.version)),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents/{id}/pages/{page}",
    summary: "Get a page of a PDF as a picture",
    access: "screens.read",
    params: PageParams,
    query: VersionQuery,
    produces: "image/png",
    handle: async ({ actor, params, query, signal }) =>
      image(await readPagePicture(actor, { ...params, version: query.version }, signal)),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/retry",
    summary: "Retry a failed document, or refresh it from its address",
    access: "documents.write",
    params: IngestedId,
    response: Ingesting,
    status: 202,
    handle: ({ actor, params }) => retryDocument(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/same-name",
    summary: "Decide on a document whose file name an older one has",
    description:
      "Such a document has `sameNameAs` until then. As its new version, it becomes part of the older document, which is " +
      "returned; the current version is searched until the new one is ready.",
    access: "documents.write",
    params: DocumentId,
    body: SameNameInput,
    response: DocumentDetail,
    handle: ({ actor, params, body, signal }) => decideSameName(actor, params.id, body.choice, signal),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents/{id}/versions",
    summary: "List the kept versions of a document, newest first",
    access: "screens.read",
    params: DocumentId,
    query: PartQuery,
    response: z.array(DocumentVersion),
    handle: ({ actor, params, query }) => {
      const { versions, next } = listVersions(actor, params.id, query);
      return page(versions, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/versions",
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
    handle: async ({ actor, params, headers, json, parts, signal }) => {
      const detail = headers.get("content-type")?.includes("json")
        ? await addDocumentVersion(actor, params.id, parseWith(VersionText, await json(), "body"))
        : await receiveDocumentVersion(actor, params.id, parts(), signal);
      return accepted(detail);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/ingest",
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
    otherStatuses: [200, 202],
    handle: async ({ actor, body, signal }) => {
      const { done, document } = await ingest(actor, body, { signal });
      const address = `/api/rag/documents/${document.id}`;
      if (!done) return accepted(document, address);
      return document.duplicate ? reply(document) : created(document, address);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/upload",
    summary: "Upload files",
    description:
      "A multipart form: the fields first, then up to 100 files of up to 50 MB each. Returns for each file its " +
      "document or its error; valid files are added even if others fail. `X-Batch-Id` is their batch. The attachments " +
      "of a message and the files of a ZIP archive become documents of their own in it; an archive is then removed, and " +
      "stays as failed with the reasons if some of them weren't added. " +
      "422 if no file has a supported type.",
    access: "documents.write",
    form: UploadForm,
    upload: UPLOAD_LIMITS,
    response: z.array(UploadedFile),
    status: 202,
    handle: async ({ actor, parts, signal }) => {
      const { batchId, files } = await receiveUpload(actor, parts(), signal);
      return reply(files, { status: 202, headers: { "X-Batch-Id": batchId } });
    },
  }),
]);
