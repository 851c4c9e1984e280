import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { renewInvitation, toInvitation } from "~/team/members/invitation.service.server";
import { Invitation } from "~/team/members/members.schema";

const route = resource({
  path: "/api/members/{id}/invitation",
  tag: "Members",
  POST: endpoint({
    summary: "Create a new one-time link, for a lost link or password",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    response: Invitation,
    status: 201,
    handle: ({ actor, params, context }) =>
      reply(toInvitation(renewInvitation(actor, params.id), context.origin), { status: 201 }),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
