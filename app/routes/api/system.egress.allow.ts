import { EgressAllow } from "~/features/settings/egress.schema";
import { readEgressAllow, saveEgressAllow } from "~/features/settings/egress.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/system/egress/allow",
  tag: "System",
  GET: endpoint({
    summary: "What the owner lets the console reach beside public addresses",
    access: "egress.manage",
    response: EgressAllow,
    handle: ({ actor }) => readEgressAllow(actor),
  }),
  PUT: endpoint({
    summary: "Replace that list",
    description: "It counts beside the operator's EGRESS_ALLOW, for connections from then on.",
    access: "egress.manage",
    body: EgressAllow,
    response: EgressAllow,
    handle: ({ actor, body }) => saveEgressAllow(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
