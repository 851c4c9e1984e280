import { z } from "zod";
import { Budget, BudgetInput } from "~/features/budgets/budgets.schema";
import { createBudget, listBudgets } from "~/features/budgets/budgets.service.server";
import { created, endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/budgets",
  tag: "Budgets",
  GET: endpoint({
    summary: "List budgets with what is spent and reserved, by kind and name",
    access: "budgets.manage",
    response: z.array(Budget),
    handle: ({ actor }) => listBudgets(actor),
  }),
  POST: endpoint({
    summary: "Add a budget",
    description: "Its current period begins with what the usage records already have.",
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
