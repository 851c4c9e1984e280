import { z } from "zod";
import { created, endpoint, paged, resource } from "~/http/resource.server";
import { CursorParam } from "~/platform/catalogue/cursor.schema";
import { Comparison, ComparisonInput, ComparisonSummary } from "~/work/comparisons/comparisons.schema";
import { createComparison, listComparisons } from "~/work/comparisons/comparisons.service.server";

const route = resource({
  path: "/api/ai/comparisons",
  tag: "Comparisons",
  GET: endpoint({
    summary: "List your comparisons, newest first",
    access: "chat.use",
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: CursorParam,
    }),
    response: z.array(ComparisonSummary),
    handle: ({ actor, query, request }) => {
      const { comparisons, next } = listComparisons(actor, query);
      return paged(request, comparisons, next);
    },
  }),
  POST: endpoint({
    summary: "Run one prompt on two to four models",
    description:
      "Returns at once while the models keep writing. Each answer is its own conversation, which the chat " +
      "doesn't list. Get the comparison or its stream for the answers.",
    access: "chat.use",
    body: ComparisonInput,
    response: Comparison,
    status: 201,
    handle: async ({ actor, body }) => {
      const comparison = await createComparison(actor, body);
      return created(comparison, `/api/ai/comparisons/${comparison.id}`);
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
