import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { declineMember } from "~/team/members/member.service.server";

const route = resource({
  path: "/api/members/{id}/decline",
  tag: "Members",
  POST: endpoint({
    summary: "Decline a request to join",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    status: 204,
    handle: ({ actor, params }) => {
      declineMember(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
