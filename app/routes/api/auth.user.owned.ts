import { z } from "zod";
import { OwnedData } from "~/console/offboarding/offboarding.schema";
import { listOwnedData } from "~/console/offboarding/offboarding.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/auth/user/owned",
  tag: "Signing in",
  GET: endpoint({
    summary: "List your data that needs a decision before you leave, with possible recipients",
    access: "signed-in",
    response: z.array(OwnedData),
    handle: ({ actor }) => listOwnedData(actor, actor.userId),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
