import { z } from "zod";
import { RemovalInput } from "~/features/knowledge/former-members.schema";
import { removeMemberDeciding } from "~/features/knowledge/former-members.service.server";
import { changeRole, getMember } from "~/features/members/member.service.server";
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
    description:
      "And decide on what they leave, in one step: where that is refused, they stay a member. Without a decision it can " +
      "be made later.",
    access: "members.manage",
    params,
    query: RemovalInput,
    status: 204,
    handle: async ({ actor, params: { id }, query }) => {
      await removeMemberDeciding(actor, id, query);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
