import { z } from "zod";
import { changeRole, getMember, removeMember } from "~/features/members/member.service.server";
import { Member, RoleInput } from "~/features/members/members.schema";
import { endpoint, reply, resource } from "~/http/resource.server";

const params = z.object({ id: z.string() });

const route = resource({
  path: "/api/members/{id}",
  tag: "Members",
  GET: endpoint({
    summary: "One member",
    access: "members.manage",
    params,
    response: Member,
    handle: ({ actor, params: { id } }) => getMember(actor, id),
  }),
  PATCH: endpoint({
    summary: "Change a member's role",
    description: "Ends the member's sessions and the tokens that could do more.",
    access: "members.manage",
    params,
    body: RoleInput,
    response: Member,
    handle: ({ actor, params: { id }, body }) => changeRole(actor, id, body.role),
  }),
  DELETE: endpoint({
    summary: "Remove a member or withdraw an invitation",
    access: "members.manage",
    params,
    status: 204,
    handle: ({ actor, params: { id } }) => {
      removeMember(actor, id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
