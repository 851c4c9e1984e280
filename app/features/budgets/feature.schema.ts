import type { FeatureFacts } from "../facts.shared";

export const feature = {
  permissions: {
    "budgets.manage": { minRole: "admin", scope: "Manage budgets" },
  },
  audit: {
    "budget.created": "Created the budget for {name}",
    "budget.updated": "Updated the budget for {name}",
    "budget.deleted": "Deleted the budget for {name}",
    "budget.exception_granted": "Granted {amount} beyond the budget for {name} until {until}",
  },
  topics: { budgets: "budgets.manage" },
} as const satisfies FeatureFacts;
