import { z } from "zod";
import { Readiness, readReadiness } from "~/console/monitoring/readiness.service.server";
import { endpoint, endpoints, reply } from "~/platform/endpoint/endpoint.shared";
import { readBranding } from "~/team/branding/branding.service.server";
import { openApiDocument } from "./api-description.server";
import { checkHealth, Health } from "./health.server";

export const systemApi = endpoints("System", [
  endpoint({
    method: "GET",
    path: "/api/health",
    summary: "Check the console's health, for load balancers and containers",
    access: "public",
    response: Health,
    handle: ({ actor }) => checkHealth(actor),
  }),
  endpoint({
    method: "GET",
    path: "/api/openapi.json",
    summary: "Get this API description in OpenAPI 3.1",
    access: "public",
    response: z.record(z.string(), z.unknown()),
    handle: ({ origin }) => openApiDocument(origin, readBranding().appName),
  }),
  endpoint({
    method: "GET",
    path: "/healthz",
    summary: "Check that the process responds",
    access: "public",
    response: z.object({ status: z.literal("ok") }),
    handle: () => ({ status: "ok" as const }),
  }),
  endpoint({
    method: "GET",
    path: "/readyz",
    summary: "Check the database, disk, queues and schedules",
    description: "503 while one of them fails.",
    access: "public",
    response: Readiness,
    handle: async () => {
      const readiness = await readReadiness();
      return reply(readiness, { status: readiness.ready ? 200 : 503 });
    },
  }),
]);
