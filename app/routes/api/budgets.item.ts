import { z } from "zod";
import { endpoint, reply, resource } from "~/http/resource.server";
import { Budget, BudgetPatch } from "~/team/budgets/budgets.schema";
import { deleteBudget, readBudget, updateBudget } from "~/team/budgets/budgets.service.server";

const Params = z.object({ id: z.string() });

const route = resource({
  path: "/api/budgets/{id}",
  tag: "Budgets",
  GET: endpoint({
    summary: "Get a budget",
    access: "budgets.manage",
    params: Params,
    response: Budget,
    handle: ({ actor, params }) => readBudget(actor, params.id),
  }),
  PUT: endpoint({
    summary: "Change a budget's limit, warning, or unknown prices",
    access: "budgets.manage",
    params: Params,
    body: BudgetPatch,
    response: Budget,
    handle: ({ actor, params, body }) => updateBudget(actor, params.id, body),
  }),
  DELETE: endpoint({
    summary: "Delete a budget",
    access: "budgets.manage",
    params: Params,
    status: 204,
    handle: ({ actor, params }) => {
      deleteBudget(actor, params.id);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
