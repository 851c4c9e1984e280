import { z } from "zod";
import { resumeMember } from "~/features/members/member.service.server";
import { Member } from "~/features/members/members.schema";
import { endpoint, resource } from "~/http/resource.server";

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
