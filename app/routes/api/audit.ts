import { z } from "zod";
import { pageAudit } from "~/console/audit/entries.service.server";
import { endpoint, paged, resource } from "~/http/resource.server";
import { AuditEntry, AuditQuery } from "~/platform/audit/audit.schema";

const route = resource({
  path: "/api/audit",
  tag: "Audit",
  GET: endpoint({
    summary: "List audit entries, newest first",
    description:
      "Admins read the whole organization's trail, others their own entries. A page of a search may contain fewer entries than `limit`, or none: follow the `Link` header.",
    access: "signed-in",
    query: AuditQuery,
    response: z.array(AuditEntry),
    handle: async ({ actor, query, request }) => {
      const { entries, next } = await pageAudit(actor, query);
      return paged(request, entries, next);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
