import type { Program } from "~/platform/endpoint/program.shared";
import { readMetrics } from "./metrics.service.server";

export const metricsApi: readonly Program[] = [
  {
    path: "/metrics",
    tag: "System",
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
  },
];
