import { AnchorTargets } from "~/console/audit/anchor.schema";
import { anchorNow, listAnchorTargets } from "~/console/audit/trail.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/audit/anchors",
  tag: "Audit",
  GET: endpoint({
    summary: "Get the destinations of audit log anchors",
    access: "safeguards.disable",
    response: AnchorTargets,
    handle: ({ actor }) => listAnchorTargets(actor),
  }),
  POST: endpoint({
    summary: "Anchor the newest audit entry now",
    description: "Appends it to the file of AUDIT_ANCHOR and sends it to the anchor email and webhook.",
    access: "safeguards.disable",
    response: AnchorTargets,
    status: 202,
    handle: ({ actor }) => anchorNow(actor),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
