import { OrganizationLink } from "~/features/chat/shares/shares.schema";
import { listOrganizationLinks } from "~/features/chat/shares/shares.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/ai/share-links",
  tag: "Chat",
  GET: endpoint({
    summary: "List everybody's read-only links, newest first",
    description: "The newest 500, with their owners. Titles and texts of the conversations stay private.",
    access: "members.manage",
    response: OrganizationLink.array(),
    handle: ({ actor }) => listOrganizationLinks(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
