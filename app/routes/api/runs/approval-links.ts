import { endpoint, reply, resource } from "~/http/resource.server";
import { createApprovalLink } from "~/work/workflows/approval-links.service.server";
import { ApprovalLink, ApprovalLinkInput, RunId } from "~/work/workflows/runs.schema";

const route = resource({
  path: "/api/runs/{id}/approval-links",
  tag: "Workflows",
  POST: endpoint({
    summary: "Create a signed link for a named recipient to approve or refuse a step",
    access: "workflows.write",
    params: RunId,
    body: ApprovalLinkInput,
    response: ApprovalLink,
    status: 201,
    handle: ({ actor, params, body, context }) =>
      reply(createApprovalLink(actor, params.id, body, context.origin), { status: 201 }),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
