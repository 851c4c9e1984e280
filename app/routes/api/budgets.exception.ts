import { z } from "zod";
import { endpoint, resource } from "~/http/resource.server";
import { Budget, BudgetException } from "~/team/budgets/budgets.schema";
import { grantException } from "~/team/budgets/budgets.service.server";

const route = resource({
  path: "/api/budgets/{id}/exception",
  tag: "Budgets",
  POST: endpoint({
    summary: "Grant an amount beyond a budget until its next reset",
    access: "budgets.manage",
    params: z.object({ id: z.string() }),
    body: BudgetException,
    response: Budget,
    handle: ({ actor, params, body }) => grantException(actor, params.id, body),
  }),
});

const action = route.action;
const loader = route.loader;

export { action, loader };
