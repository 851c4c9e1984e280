import { z } from "zod";
import { created, endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { Budget, BudgetException, BudgetInput, BudgetPatch } from "./budgets.schema";
import {
  createBudget,
  deleteBudget,
  grantException,
  listBudgets,
  readBudget,
  updateBudget,
} from "./budgets.service.server";

const params = z.object({ id: z.string() });

export const budgetsApi = endpoints("Budgets", [
  endpoint({
    method: "POST",
    path: "/api/budgets/{id}/exception",
    summary: "Grant an amount beyond a budget until its next reset",
    access: "budgets.manage",
    params,
    body: BudgetException,
    response: Budget,
    handle: ({ actor, params, body }) => grantException(actor, params.id, body),
  }),
  endpoint({
    method: "GET",
    path: "/api/budgets/{id}",
    summary: "Get a budget",
    access: "budgets.manage",
    params,
    response: Budget,
    handle: ({ actor, params }) => readBudget(actor, params.id),
  }),
  endpoint({
    method: "PUT",
    path: "/api/budgets/{id}",
    summary: "Change a budget's limit, warning, or unknown prices",
    access: "budgets.manage",
    params,
    body: BudgetPatch,
    response: Budget,
    handle: ({ actor, params, body }) => updateBudget(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/budgets/{id}",
    summary: "Delete a budget",
    access: "budgets.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => deleteBudget(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/budgets",
    summary: "List budgets with their spent and reserved amounts, by kind and name",
    access: "budgets.manage",
    response: z.array(Budget),
    handle: ({ actor }) => listBudgets(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/budgets",
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
]);
