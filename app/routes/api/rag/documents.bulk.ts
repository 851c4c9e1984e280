import { endpoint, resource } from "~/http/resource.server";
import { changeDocuments } from "~/work/documents/bulk-documents.service.server";
import { BulkInput, BulkResult } from "~/work/documents/document-input.schema";

const route = resource({
  path: "/api/rag/documents/bulk",
  tag: "Documents",
  POST: endpoint({
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
});
const loader = route.loader;
const action = route.action;

export { action, loader };
