import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { Group, GroupInput } from "~/team/members/groups.schema";
import { createGroup, listGroups } from "~/team/members/groups.service.server";

const route = resource({
  path: "/api/groups",
  tag: "Members",
  GET: endpoint({
    summary: "List groups with their members, by name",
    access: "screens.read",
    response: z.array(Group),
    handle: ({ actor }) => listGroups(actor),
  }),
  POST: endpoint({
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
});

const loader = route.loader;
const action = route.action;

export { action, loader };
