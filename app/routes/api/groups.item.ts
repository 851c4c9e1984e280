import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { Group, GroupPatch } from "~/team/members/groups.schema";
import { deleteGroup, getGroup, updateGroup } from "~/team/members/groups.service.server";

const route = resource({
  path: "/api/groups/{id}",
  tag: "Members",
  GET: endpoint({
    summary: "Get a group",
    access: "screens.read",
    params: z.object({ id: z.string() }),
    response: Group,
    handle: ({ actor, params }) => getGroup(actor, params.id),
  }),
  PATCH: endpoint({
    summary: "Rename a group, or replace its members",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    body: GroupPatch,
    response: Group,
    handle: ({ actor, params, body }) => updateGroup(actor, params.id, body),
  }),
  DELETE: endpoint({
    summary: "Delete a group",
    description: "Its members stay, but lose access to documents shared with this group only.",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    status: 204,
    handle: ({ actor, params }) => {
      deleteGroup(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
