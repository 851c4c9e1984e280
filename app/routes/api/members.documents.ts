import { z } from "zod";
import { LeftDocumentsInput } from "~/features/knowledge/former-members.schema";
import { settleLeftDocuments } from "~/features/knowledge/former-members.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/members/{id}/documents",
  tag: "Members",
  POST: endpoint({
    summary: "Delete or hand over what a former member left",
    description:
      "All documents that only named members see. Not to be undone; nobody hands them to themselves.",
    access: "members.manage",
    params: z.object({ id: z.string() }),
    body: LeftDocumentsInput,
    response: z.object({ documents: z.number().int().describe("How many there were") }),
    handle: ({ actor, params: { id }, body }) => settleLeftDocuments(actor, id, body),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
