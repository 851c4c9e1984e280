import { BrandingAnswer, BrandingInput } from "~/features/branding/branding.schema";
import { readBrandingAnswer, updateBranding } from "~/features/branding/branding.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/branding",
  tag: "Settings",
  GET: endpoint({
    summary: "How the console looks and what it calls itself",
    description: "Public: the landing page wears it.",
    access: "public",
    response: BrandingAnswer,
    handle: () => readBrandingAnswer(),
  }),
  PUT: endpoint({
    summary: "Change the branding",
    description: "Changes what it names and leaves the rest.",
    access: "settings.manage",
    body: BrandingInput,
    response: BrandingAnswer,
    handle: ({ actor, body }) => updateBranding(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
