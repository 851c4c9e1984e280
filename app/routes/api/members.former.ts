import { z } from "zod";
import { FormerMember } from "~/features/knowledge/former-members.schema";
import { listFormerMembers } from "~/features/knowledge/former-members.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/members/former",
  tag: "Members",
  GET: endpoint({
    summary: "Former members who left documents that only named members see",
    access: "members.manage",
    response: z.array(FormerMember),
    handle: ({ actor }) => listFormerMembers(actor),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
