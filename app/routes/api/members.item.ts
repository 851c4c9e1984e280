import { z } from "zod";
import { OffboardingInput } from "~/console/offboarding/offboarding.schema";
import { removeMember } from "~/console/offboarding/offboarding.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { changeRole, getMember } from "~/team/members/member.service.server";
import { Member, RoleInput } from "~/team/members/members.schema";

const params = z.object({ id: z.string() });

const route = resource({
  path: "/api/members/{id}",
  tag: "Members",
  GET: endpoint({
    summary: "Get a member",
    access: "members.manage",
    params,
    response: Member,
    handle: ({ actor, params: { id } }) => getMember(actor, id),
  }),
  PATCH: endpoint({
    summary: "Change a member's role",
    description: "Ends the member's sessions and revokes tokens that exceed the new role.",
    access: "members.manage",
    params,
    body: RoleInput,
    response: Member,
    handle: ({ actor, params: { id }, body }) => changeRole(actor, id, body.role),
  }),
  DELETE: endpoint({
    summary: "Remove a member or withdraw an invitation",
    description:
      "The query contains the decisions about the member's data. If one is refused, nobody is removed. " +
      "`GET /api/members/{id}/owned` lists the required decisions.",
    access: "members.manage",
    params,
    query: OffboardingInput,
    status: 204,
    handle: ({ actor, params: { id }, query }) => {
      removeMember(actor, id, query);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
