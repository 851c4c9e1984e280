import { z } from "zod";
import { Dropped } from "~/console/audit/checkpoints.schema";
import { dropSealed, exportSealed } from "~/console/audit/checkpoints.service.server";
import { downloadStream } from "~/http/download.server";
import { endpoint, resource } from "~/http/resource.server";

const UpTo = z.object({ upTo: z.coerce.number().int().positive().catch(0) });

const route = resource({
  path: "/api/audit/checkpoints/{upTo}",
  tag: "Audit",
  GET: endpoint({
    summary: "Download the audit entries up to a checkpoint",
    description: "A line of JSON for each entry, with all that its signature covers.",
    access: "safeguards.disable",
    params: UpTo,
    produces: "application/x-ndjson",
    handle: ({ actor, params: { upTo }, context }) =>
      downloadStream(context, {
        name: `audit-log-up-to-${upTo}.ndjson`,
        type: "application/x-ndjson",
        pieces: exportSealed(actor, upTo),
      }),
  }),
  DELETE: endpoint({
    summary: "Drop the audit entries up to a checkpoint",
    description: "Deletes them for good. The chain continues from the checkpoint.",
    access: "safeguards.disable",
    params: UpTo,
    response: Dropped,
    handle: async ({ actor, params: { upTo } }) => ({ dropped: await dropSealed(actor, upTo) }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
