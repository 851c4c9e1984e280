import { endpoint, resource } from "~/http/resource.server";
import { BrandingInput, BrandingResponse } from "~/team/branding/branding.schema";
import { readBrandingResponse, updateBranding } from "~/team/branding/branding.service.server";

const route = resource({
  path: "/api/branding",
  tag: "Settings",
  GET: endpoint({
    summary: "Get the branding",
    description: "Public, since the landing page uses it.",
    access: "public",
    response: BrandingResponse,
    handle: () => readBrandingResponse(),
  }),
  PUT: endpoint({
    summary: "Change the branding",
    description: "Changes only the fields sent.",
    access: "settings.manage",
    body: BrandingInput,
    response: BrandingResponse,
    handle: ({ actor, body }) => updateBranding(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
