import { readMetrics } from "~/console/monitoring/metrics.service.server";
import { direct, refuseAsProblem } from "~/http/direct.server";

const route = direct({
  path: "/metrics",
  tag: "System",
  refuse: refuseAsProblem,
  GET: {
    summary: "Get metrics in Prometheus text format",
    description: "404 while metrics are off. Counters begin with the first call after a start.",
    access: "metrics.read",
    produces: "text/plain",
    handle: async ({ actor, response }) => {
      const { contentType, text } = await readMetrics(actor);
      response.send(contentType, text);
    },
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
