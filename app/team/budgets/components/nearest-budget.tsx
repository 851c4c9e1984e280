import { Link } from "@remix-run/react";
import type { Budget } from "../budgets.schema";
import { BudgetBar } from "./budget-bar";
import { budgetTitle, figuresOf } from "./budget-text";

export function NearestBudget({ budget }: { budget: Budget }) {
  return (
    <section aria-label="Nearest budget" className="mb-4">
      <p className="flex flex-wrap items-center justify-between gap-x-4 text-sm">
        <span>
          Nearest budget: <span className="font-medium">{budgetTitle(budget)}</span>{" "}
          <span className="text-muted text-xs">{figuresOf(budget)}</span>
        </span>
        <Link
          to="/usage/budgets"
          className="pointer-coarse:min-h-11 content-center text-primary-ink hover:underline"
        >
          View budgets
        </Link>
      </p>
      <BudgetBar budget={budget} />
    </section>
  );
}
