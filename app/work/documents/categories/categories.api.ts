import { z } from "zod";
import { created, endpoint, endpoints, nothing } from "~/platform/endpoint/endpoint.shared";
import { DocumentId } from "../document-input.schema";
import { CategoryInput, DocumentCategory } from "../documents.schema";
import { createCategory, deleteCategory, listCategories, renameCategory } from "./categories.service.server";

export const categoriesApi = endpoints("Documents", [
  endpoint({
    method: "PATCH",
    path: "/api/rag/categories/{id}",
    summary: "Rename a category",
    access: "documents.write",
    params: DocumentId,
    body: CategoryInput,
    response: DocumentCategory,
    handle: ({ actor, params, body }) => renameCategory(actor, params.id, body.name),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/rag/categories/{id}",
    summary: "Delete a category and move its documents to Uncategorized",
    access: "documents.write",
    params: DocumentId,
    status: 204,
    handle: async ({ actor, params }) => {
      deleteCategory(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/categories",
    summary: "List categories with the number of documents visible to you",
    access: "screens.read",
    response: z.array(DocumentCategory),
    handle: ({ actor }) => listCategories(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/categories",
    summary: "Add a category",
    access: "documents.write",
    body: CategoryInput,
    response: DocumentCategory,
    status: 201,
    handle: ({ actor, body }) => {
      const category = createCategory(actor, body.name);
      return created(category, `/api/rag/categories/${category.id}`);
    },
  }),
]);
