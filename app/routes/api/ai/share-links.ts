import { z } from "zod";
import { endpoint, paged, resource } from "~/http/resource.server";
import { CursorParam } from "~/platform/catalogue/cursor.schema";
import { OrganizationLink } from "~/work/chat/shares/shares.schema";
import { listOrganizationLinks } from "~/work/chat/shares/shares.service.server";

const route = resource({
  path: "/api/ai/share-links",
  tag: "Chat",
  GET: endpoint({
    summary: "List everybody's read-only links, newest first",
    description: "With their owners. Titles and texts of the conversations stay private.",
    access: "members.manage",
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(500),
      cursor: CursorParam,
    }),
    response: OrganizationLink.array(),
    handle: ({ actor, query, request }) => {
      const { links, next } = listOrganizationLinks(actor, query);
      return paged(request, links, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
