import { openApiDocument } from "~/http/openapi.server";
import { endpoint, resource } from "~/http/resource.server";
import { readBranding } from "~/team/branding/branding.service.server";

const route = resource({
  path: "/api/openapi.json",
  tag: "System",
  GET: endpoint({
    summary: "Get this API description in OpenAPI 3.1",
    access: "public",
    handle: ({ context }) => openApiDocument(context.origin, readBranding().appName),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
