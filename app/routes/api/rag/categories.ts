import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { createCategory, listCategories } from "~/work/documents/categories/categories.service.server";
import { CategoryInput, DocumentCategory } from "~/work/documents/documents.schema";

const route = resource({
  path: "/api/rag/categories",
  tag: "Documents",
  GET: endpoint({
    summary: "List categories with the number of documents visible to you",
    access: "screens.read",
    response: z.array(DocumentCategory),
    handle: ({ actor }) => listCategories(actor),
  }),
  POST: endpoint({
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
});
const loader = route.loader;
const action = route.action;

export { action, loader };
