import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { endOwnSession } from "~/team/members/session.service.server";

const route = resource({
  path: "/api/auth/sessions/{id}",
  tag: "Signing in",
  DELETE: endpoint({
    summary: "End one of your sessions",
    access: "profile.write",
    params: z.object({ id: z.string() }),
    status: 204,
    handle: ({ actor, params }) => {
      endOwnSession(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
