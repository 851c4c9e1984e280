import { z } from "zod";
import { EnvironmentEntry } from "~/console/settings/environment.schema";
import { readEnvironment } from "~/console/settings/environment.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/system/env-status",
  tag: "Settings",
  GET: endpoint({
    summary: "List environment variables and whether they are set",
    description: "Values are never returned: `masked` is a fixed row of bullets.",
    access: "settings.manage",
    response: z.array(EnvironmentEntry),
    handle: ({ actor }) => readEnvironment(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
