import { endpoint, resource } from "~/http/resource.server";
import { Organisation, OrganisationInput } from "~/team/organization/organization.schema";
import { readOrganisation, updateOrganisation } from "~/team/organization/organization.service.server";

const route = resource({
  path: "/api/organisation",
  tag: "Settings",
  GET: endpoint({
    summary: "Get the team title and time zone",
    access: "screens.read",
    response: Organisation,
    handle: ({ actor }) => readOrganisation(actor),
  }),
  PUT: endpoint({
    summary: "Change the team title or time zone",
    description: "Changes only the fields sent; null restores the default.",
    access: "settings.manage",
    body: OrganisationInput,
    response: Organisation,
    handle: ({ actor, body }) => updateOrganisation(actor, body),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
