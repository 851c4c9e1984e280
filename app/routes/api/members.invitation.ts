import { z } from "zod";
import { renewInvitation, toInvitation } from "~/features/members/invitation.service.server";
import { Invitation } from "~/features/members/members.schema";
import { endpoint, reply, resource } from "~/http/resource.server";

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
