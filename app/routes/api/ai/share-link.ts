import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { revokeOrganizationLink } from "~/work/chat/shares/shares.service.server";

const route = resource({
  path: "/api/ai/share-links/{link}",
  tag: "Chat",
  DELETE: endpoint({
    summary: "Revoke anybody's read-only link",
    access: "members.manage",
    params: z.object({ link: z.string().max(64) }),
    status: 204,
    handle: ({ actor, params: { link } }) => {
      revokeOrganizationLink(actor, link);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
