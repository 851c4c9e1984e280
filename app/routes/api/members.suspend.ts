import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { suspendMember } from "~/team/members/member.service.server";
import { Member } from "~/team/members/members.schema";

const route = resource({
  path: "/api/members/{id}/suspend",
  tag: "Members",
  POST: endpoint({
    summary: "Suspend a member",
    description: "Signs them out everywhere and stops their tokens; nothing is deleted.",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    response: Member,
    handle: ({ actor, params }) => suspendMember(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
