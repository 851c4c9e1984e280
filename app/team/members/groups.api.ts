import { z } from "zod";
import { created, endpoint, endpoints, nothing } from "~/platform/endpoint/endpoint.shared";
import { Group, GroupInput, GroupPatch } from "./groups.schema";
import {
  addToGroup,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  removeFromGroup,
  updateGroup,
} from "./groups.service.server";

const params = z.object({ id: z.string() });
const Membership = params.extend({ userId: z.string() });

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
    description: "Its members stay, but lose access to documents shared with this group only.",
    access: "members.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => {
      deleteGroup(actor, params.id);
      return nothing();
    },
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
