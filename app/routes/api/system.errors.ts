import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { ErrorReport } from "~/team/errors/errors.schema";
import { clearErrors, listErrors } from "~/team/errors/errors.service.server";

const route = resource({
  path: "/api/system/errors",
  tag: "System",
  GET: endpoint({
    summary: "List recent unexpected errors",
    description: "At most 200, grouped by message and stack frame, most recent first.",
    access: "settings.manage",
    response: z.array(ErrorReport),
    handle: ({ actor }) => listErrors(actor),
  }),
  DELETE: endpoint({
    summary: "Clear the error reports",
    access: "settings.manage",
    status: 204,
    handle: ({ actor }) => {
      clearErrors(actor);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
