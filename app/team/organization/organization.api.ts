import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { Organisation, OrganisationInput } from "./organization.schema";
import { readOrganisation, updateOrganisation } from "./organization.service.server";

export const organizationApi = endpoints("Settings", [
  endpoint({
    method: "GET",
    path: "/api/organisation",
    summary: "Get the team title and time zone",
    access: "screens.read",
    response: Organisation,
    handle: ({ actor }) => readOrganisation(actor),
  }),
  endpoint({
    method: "PUT",
    path: "/api/organisation",
    summary: "Change the team title or time zone",
    description: "Changes only the fields sent; null restores the default.",
    access: "settings.manage",
    body: OrganisationInput,
    response: Organisation,
    handle: ({ actor, body }) => updateOrganisation(actor, body),
  }),
]);
