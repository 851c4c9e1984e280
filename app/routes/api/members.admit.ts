import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { admitMember } from "~/team/members/member.service.server";
import { AdmitInput, Member } from "~/team/members/members.schema";

const route = resource({
  path: "/api/members/{id}/admit",
  tag: "Members",
  POST: endpoint({
    summary: "Admit someone who asked to join",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    body: AdmitInput,
    response: Member,
    handle: ({ actor, params, body }) => admitMember(actor, params.id, body.role),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
