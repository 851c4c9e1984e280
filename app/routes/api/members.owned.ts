import { z } from "zod";
import { OwnedData } from "~/features/offboarding/offboarding.schema";
import { listOwnedData } from "~/features/offboarding/offboarding.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/members/{id}/owned",
  tag: "Members",
  GET: endpoint({
    summary: "Data that a member owns, by kind and number, with possible recipients",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    response: z.array(OwnedData),
    handle: ({ actor, params }) => listOwnedData(actor, params.id),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
