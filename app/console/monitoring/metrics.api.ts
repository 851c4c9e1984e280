import type { Program } from "~/platform/endpoint/endpoint.shared";
import { bytes, endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { readMetrics } from "./metrics.service.server";

export const metricsApi = endpoints("System", [
  endpoint({
    method: "GET",
    path: "/metrics",
    summary: "Get metrics in Prometheus text format",
    description: "404 while metrics are off. Counters begin with the first call after a start.",
    access: "metrics.read",
    produces: "text/plain",
    handle: async ({ actor }) => {
      const { contentType, text } = await readMetrics(actor);
      return bytes(contentType, text);
    },
  }),
]);

export const metricsPrograms: readonly Program[] = [{ under: "/metrics", callers: "tokens" }];
