import { z } from "zod";
import { created, endpoint, endpoints, nothing, reply } from "~/platform/endpoint/endpoint.shared";
import { inviteMember, renewInvitation, toInvitation } from "./invitation.service.server";
import {
  admitMember,
  changeRole,
  declineMember,
  getMember,
  listMembers,
  resumeMember,
  suspendMember,
} from "./member.service.server";
import { AdmitInput, Invitation, Member, MemberInput, RoleInput } from "./members.schema";

const params = z.object({ id: z.string() });

export const membersApi = endpoints("Members", [
  endpoint({
    method: "POST",
    path: "/api/members/{id}/admit",
    summary: "Admit someone who asked to join",
    access: "members.manage",
    params,
    body: AdmitInput,
    response: Member,
    handle: ({ actor, params, body }) => admitMember(actor, params.id, body.role),
  }),
  endpoint({
    method: "POST",
    path: "/api/members/{id}/decline",
    summary: "Decline a request to join",
    access: "members.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => {
      declineMember(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/members/{id}/invitation",
    summary: "Create a new one-time link, for a lost link or password",
    access: "members.manage",
    params,
    response: Invitation,
    status: 201,
    handle: ({ actor, params, origin }) =>
      reply(toInvitation(renewInvitation(actor, params.id), origin), { status: 201 }),
  }),
  endpoint({
    method: "GET",
    path: "/api/members/{id}",
    summary: "Get a member",
    access: "members.manage",
    params,
    response: Member,
    handle: ({ actor, params: { id } }) => getMember(actor, id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/members/{id}",
    summary: "Change a member's role",
    description: "Ends the member's sessions and revokes tokens that exceed the new role.",
    access: "members.manage",
    params,
    body: RoleInput,
    response: Member,
    handle: ({ actor, params: { id }, body }) => changeRole(actor, id, body.role),
  }),
  endpoint({
    method: "POST",
    path: "/api/members/{id}/resume",
    summary: "Resume a suspended member",
    access: "members.manage",
    params,
    response: Member,
    handle: ({ actor, params }) => resumeMember(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/members/{id}/suspend",
    summary: "Suspend a member",
    description: "Signs them out everywhere and stops their tokens; nothing is deleted.",
    access: "members.manage",
    params,
    response: Member,
    handle: ({ actor, params }) => suspendMember(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/members",
    summary: "List members, invitations and requests to join, oldest first",
    access: "members.manage",
    response: z.array(Member),
    handle: ({ actor }) => listMembers(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/members",
    summary: "Invite someone with a one-time link",
    access: "members.manage",
    body: MemberInput,
    response: Invitation,
    status: 201,
    handle: ({ actor, body, origin }) => {
      const invitation = toInvitation(inviteMember(actor, body), origin);
      return created(invitation, `/api/members/${invitation.member.id}`);
    },
  }),
]);
