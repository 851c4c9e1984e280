import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { inviteMember, toInvitation } from "~/team/members/invitation.service.server";
import { listMembers } from "~/team/members/member.service.server";
import { Invitation, Member, MemberInput } from "~/team/members/members.schema";

const route = resource({
  path: "/api/members",
  tag: "Members",
  GET: endpoint({
    summary: "List members, invitations and requests to join, oldest first",
    access: "members.manage",
    response: z.array(Member),
    handle: ({ actor }) => listMembers(actor),
  }),
  POST: endpoint({
    summary: "Invite someone with a one-time link",
    access: "members.manage",
    body: MemberInput,
    response: Invitation,
    status: 201,
    handle: ({ actor, body, context }) => {
      const invitation = toInvitation(inviteMember(actor, body), context.origin);
      return created(invitation, `/api/members/${invitation.member.id}`);
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
