import { z } from "zod";
import { Checkpoint, SealInput } from "~/console/audit/checkpoints.schema";
import { listCheckpoints, sealBefore } from "~/console/audit/checkpoints.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/audit/checkpoints",
  tag: "Audit",
  GET: endpoint({
    summary: "List the newest 100 checkpoints of the audit log",
    access: "safeguards.disable",
    response: z.array(Checkpoint),
    handle: ({ actor }) => listCheckpoints(actor),
  }),
  POST: endpoint({
    summary: "Seal the audit entries before a day",
    description: "The trail is verified first. A sealed range can be downloaded and dropped.",
    access: "safeguards.disable",
    body: SealInput,
    response: Checkpoint,
    status: 201,
    handle: ({ actor, body }) => sealBefore(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
