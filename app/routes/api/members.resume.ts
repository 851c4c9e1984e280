import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { resumeMember } from "~/team/members/member.service.server";
import { Member } from "~/team/members/members.schema";

const route = resource({
  path: "/api/members/{id}/resume",
  tag: "Members",
  POST: endpoint({
    summary: "Resume a suspended member",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    response: Member,
    handle: ({ actor, params }) => resumeMember(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
