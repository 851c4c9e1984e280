import { Readiness, readReadiness } from "~/console/monitoring/readiness.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";

const route = resource({
  path: "/readyz",
  tag: "System",
  GET: endpoint({
    summary: "Check the database, disk, queues and schedules",
    description: "503 while one of them fails.",
    access: "public",
    response: Readiness,
    handle: async () => {
      const readiness = await readReadiness();
      return reply(readiness, { status: readiness.ready ? 200 : 503 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
