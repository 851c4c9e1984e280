import { z } from "zod";
import { created, endpoint, endpoints, reply } from "~/platform/endpoint/endpoint.shared";
import {
  addToGroup,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  removeFromGroup,
  updateGroup,
} from "./groups.service.server";
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
import {
  AdmitInput,
  Group,
  GroupInput,
  GroupPatch,
  Invitation,
  Member,
  MemberInput,
  RoleInput,
} from "./members.schema";

const params = z.object({ id: z.string() });
const Membership = params.extend({ userId: z.string() });

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
    handle: ({ actor, params }) => declineMember(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/members/{id}/invitation",
    summary: "Create a new one-time link, for a lost invitation or password",
    description:
      "An invited person's works for 7 days. A member's works for 1 hour to set a new password, which ends their sessions; it is refused (409) for those who sign in through the provider only.",
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

export const groupsApi = endpoints("Members", [
  endpoint({
    method: "GET",
    path: "/api/groups/{id}",
    summary: "Get a group",
    access: "screens.read",
    params,
    response: Group,
    handle: ({ actor, params }) => getGroup(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/groups/{id}",
    summary: "Rename a group, or replace its members",
    access: "members.manage",
    params,
    body: GroupPatch,
    response: Group,
    handle: ({ actor, params, body }) => updateGroup(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/groups/{id}",
    summary: "Delete a group",
    description:
      "Its members stay, but lose access to documents shared with this group only, and to models limited to it.",
    access: "members.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => deleteGroup(actor, params.id),
  }),
  endpoint({
    method: "PUT",
    path: "/api/groups/{id}/members/{userId}",
    summary: "Add a member to a group",
    access: "members.manage",
    params: Membership,
    response: Group,
    handle: ({ actor, params }) => addToGroup(actor, params.id, params.userId),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/groups/{id}/members/{userId}",
    summary: "Remove a member from a group",
    access: "members.manage",
    params: Membership,
    response: Group,
    handle: ({ actor, params }) => removeFromGroup(actor, params.id, params.userId),
  }),
  endpoint({
    method: "GET",
    path: "/api/groups",
    summary: "List groups with their members, by name",
    access: "screens.read",
    response: z.array(Group),
    handle: ({ actor }) => listGroups(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/groups",
    summary: "Add a group",
    access: "members.manage",
    body: GroupInput,
    response: Group,
    status: 201,
    handle: ({ actor, body }) => {
      const group = createGroup(actor, body);
      return created(group, `/api/groups/${group.id}`);
    },
  }),
]);
