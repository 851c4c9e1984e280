import { z } from "zod";
import { endpoint, endpoints, nothing, page } from "~/platform/endpoint/endpoint.shared";
import { changeDocuments } from "./bulk-documents.service.server";
import { moveDocument, patchDocument, reorderCategory } from "./document-changes.service.server";
import {
  BulkInput,
  BulkResult,
  DocumentId,
  DocumentPatch,
  DocumentQuery,
  MoveInput,
  PartQuery,
  ReorderInput,
  TextQuery,
} from "./document-input.schema";
import {
  CollectionStats,
  DeletedDocument,
  Document,
  DocumentChunk,
  DocumentDetail,
  TextPage,
} from "./documents.schema";
import { collectionStats, getDocument, listDocuments } from "./documents.service.server";
import { deleteDocument, listDeleted, restoreDocument } from "./removal/document-removal.service.server";
import { listDocumentChunks, readText } from "./versions/document-parts.service.server";

export const documentsApi = endpoints("Documents", [
  endpoint({
    method: "POST",
    path: "/api/rag/documents/bulk",
    summary: "Move, retry or delete several documents",
    description:
      "In one transaction. Documents that were deleted, can't be retried or aren't yours to delete are skipped.",
    access: "documents.write",
    body: BulkInput,
    response: BulkResult,
    handle: ({ actor, body }) => {
      const { documents, skipped } = changeDocuments(actor, body);
      return { documents, skipped };
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents/{id}/chunks",
    summary: "List the searchable chunks of a document",
    access: "screens.read",
    params: DocumentId,
    query: PartQuery,
    response: z.array(DocumentChunk),
    handle: ({ actor, params, query }) => {
      const { chunks, next } = listDocumentChunks(actor, params.id, query);
      return page(chunks, next);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents/deleted",
    summary: "List deleted documents that you can restore, last deleted first",
    access: "documents.write",
    query: PartQuery,
    response: z.array(DeletedDocument),
    handle: ({ actor, query }) => {
      const { documents, next } = listDeleted(actor, query);
      return page(documents, next);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents/{id}",
    summary: "Get a document",
    access: "screens.read",
    params: DocumentId,
    response: DocumentDetail,
    handle: ({ actor, params }) => getDocument(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/rag/documents/{id}",
    summary: "Change a document",
    description: "Only its creator, or an admin with access, can change its visibility and refresh schedule.",
    access: "documents.write",
    params: DocumentId,
    body: DocumentPatch,
    response: DocumentDetail,
    handle: ({ actor, params, body }) => patchDocument(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/rag/documents/{id}",
    summary: "Delete a document; it can be restored for ten minutes",
    access: "documents.write",
    params: DocumentId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteDocument(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/move",
    summary: "Move a document up or down in its category",
    access: "documents.write",
    params: DocumentId,
    body: MoveInput,
    response: DocumentDetail,
    handle: ({ actor, params, body }) => moveDocument(actor, params.id, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/documents/{id}/restore",
    summary: "Restore a document deleted within the last ten minutes",
    access: "documents.write",
    params: DocumentId,
    response: DocumentDetail,
    handle: ({ actor, params }) => restoreDocument(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents/{id}/text",
    summary: "Get a page of a document's text with its structure",
    description: "`next` is the `from` of the next page.",
    access: "screens.read",
    params: DocumentId,
    query: TextQuery,
    response: TextPage,
    handle: ({ actor, params, query }) => readText(actor, params.id, query),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/documents",
    summary: "List documents visible to you, by category, order and creation date",
    access: "screens.read",
    query: DocumentQuery,
    response: z.array(Document),
    handle: async ({ actor, query }) => {
      const { documents, next } = await listDocuments(actor, query);
      return page(documents, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/reorder",
    summary: "Reorder the documents of a category",
    access: "documents.write",
    body: ReorderInput,
    response: z.array(Document),
    handle: async ({ actor, body }) => {
      const { documents, next } = await reorderCategory(actor, body);
      const list = `/api/rag/documents?category=${encodeURIComponent(body.category)}`;
      return page(documents, next, list);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/stats",
    summary: "Count documents visible to you by status, and their chunks",
    access: "screens.read",
    response: CollectionStats,
    handle: ({ actor }) => collectionStats(actor),
  }),
]);
