import { endpoint, resource } from "~/http/resource.server";
import { CollectionStats } from "~/work/documents/documents.schema";
import { collectionStats } from "~/work/documents/documents.service.server";

const route = resource({
  path: "/api/rag/stats",
  tag: "Documents",
  GET: endpoint({
    summary: "Count documents visible to you by status, and their chunks",
    access: "screens.read",
    response: CollectionStats,
    handle: ({ actor }) => collectionStats(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
