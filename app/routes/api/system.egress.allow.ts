import { EgressAllow } from "~/console/settings/egress.schema";
import { readEgressAllow, saveEgressAllow } from "~/console/settings/egress.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/system/egress/allow",
  tag: "System",
  GET: endpoint({
    summary: "Get the owner's egress list",
    access: "egress.manage",
    response: EgressAllow,
    handle: ({ actor }) => readEgressAllow(actor),
  }),
  PUT: endpoint({
    summary: "Replace the owner's egress list",
    description: "Applies in addition to the operator's EGRESS_ALLOW, to new connections.",
    access: "egress.manage",
    body: EgressAllow,
    response: EgressAllow,
    handle: ({ actor, body }) => saveEgressAllow(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
