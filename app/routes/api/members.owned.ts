import { z } from "zod";
import { OwnedData } from "~/console/offboarding/offboarding.schema";
import { listOwnedData } from "~/console/offboarding/offboarding.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/members/{id}/owned",
  tag: "Members",
  GET: endpoint({
    summary: "List a member's data by kind and count, with possible recipients",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    response: z.array(OwnedData),
    handle: ({ actor, params }) => listOwnedData(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
