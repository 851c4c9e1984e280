import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { Comparison } from "~/work/comparisons/comparisons.schema";
import { deleteComparison, readComparison } from "~/work/comparisons/comparisons.service.server";

const params = z.object({ comparison: z.string().max(100) });

const route = resource({
  path: "/api/ai/comparisons/{comparison}",
  tag: "Comparisons",
  GET: endpoint({
    summary: "Get a comparison with its answers, including the text of running ones so far",
    access: "chat.use",
    params,
    response: Comparison,
    handle: ({ actor, params: { comparison } }) => readComparison(actor, comparison),
  }),
  DELETE: endpoint({
    summary: "Delete a comparison and its answers",
    description: "Running answers are stopped. Conversations continued in the chat are kept.",
    access: "chat.use",
    params,
    status: 204,
    handle: async ({ actor, params: { comparison } }) => {
      await deleteComparison(actor, comparison);
      return reply(null, { status: 204 });
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
