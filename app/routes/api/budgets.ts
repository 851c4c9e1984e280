import { z } from "zod";
import { created, endpoint, resource } from "~/http/resource.server";
import { Budget, BudgetInput } from "~/team/budgets/budgets.schema";
import { createBudget, listBudgets } from "~/team/budgets/budgets.service.server";

const route = resource({
  path: "/api/budgets",
  tag: "Budgets",
  GET: endpoint({
    summary: "List budgets with their spent and reserved amounts, by kind and name",
    access: "budgets.manage",
    response: z.array(Budget),
    handle: ({ actor }) => listBudgets(actor),
  }),
  POST: endpoint({
    summary: "Add a budget",
    description: "Its current period starts with the usage recorded so far.",
    access: "budgets.manage",
    body: BudgetInput,
    response: Budget,
    status: 201,
    handle: ({ actor, body }) => {
      const budget = createBudget(actor, body);
      return created(budget, `/api/budgets/${budget.id}`);
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
