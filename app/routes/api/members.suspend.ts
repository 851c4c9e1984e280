import { z } from "zod";
import { suspendMember } from "~/features/members/member.service.server";
import { Member } from "~/features/members/members.schema";
import { endpoint, resource } from "~/http/resource.server";

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
