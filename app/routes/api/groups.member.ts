import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { Group } from "~/team/members/groups.schema";
import { addToGroup, removeFromGroup } from "~/team/members/groups.service.server";

const route = resource({
  path: "/api/groups/{id}/members/{userId}",
  tag: "Members",
  PUT: endpoint({
    summary: "Add a member to a group",
    access: "members.manage",
    params: z.object({ id: z.string(), userId: z.string() }),
    response: Group,
    handle: ({ actor, params }) => addToGroup(actor, params.id, params.userId),
  }),
  DELETE: endpoint({
    summary: "Remove a member from a group",
    access: "members.manage",
    params: z.object({ id: z.string(), userId: z.string() }),
    response: Group,
    handle: ({ actor, params }) => removeFromGroup(actor, params.id, params.userId),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
