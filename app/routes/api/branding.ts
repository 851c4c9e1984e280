import { Branding } from "~/features/branding/branding.schema";
import { readBranding } from "~/features/branding/branding.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/branding",
  tag: "Settings",
  GET: endpoint({
    summary: "How the console looks and what it calls itself",
    description: "Public: the landing page wears it.",
    access: "public",
    response: Branding,
    handle: () => readBranding(),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
