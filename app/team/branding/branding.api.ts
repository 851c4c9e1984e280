import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { BrandingInput, BrandingResponse } from "./branding.schema";
import { readBrandingResponse, updateBranding } from "./branding.service.server";

export const brandingApi = endpoints("Settings", [
  endpoint({
    method: "GET",
    path: "/api/branding",
    summary: "Get the branding",
    description: "Public, since the landing page uses it.",
    access: "public",
    response: BrandingResponse,
    handle: () => readBrandingResponse(),
  }),
  endpoint({
    method: "PUT",
    path: "/api/branding",
    summary: "Change the branding",
    description: "Changes only the fields sent.",
    access: "settings.manage",
    body: BrandingInput,
    response: BrandingResponse,
    handle: ({ actor, body }) => updateBranding(actor, body),
  }),
]);
