import { Link } from "@remix-run/react";
import { cx } from "~/ui/class-names";
import type { Budget, BudgetState } from "../budgets.schema";
import { budgetTitle, figuresOf } from "./budget-text";

const FILLS: Record<BudgetState, string> = {
  ok: "bg-primary-ink",
  near: "bg-warning",
  "used-up": "bg-danger-ink",
};

/** Spent and reserved shares, with a mark at the warning. The figures are beside it as text. */
export function BudgetBar({ budget }: { budget: Budget }) {
  const { spent, reserved, limit, exception, state, warnAt } = budget;
  const allowed = limit + exception;
  const share = (amount: number) => (allowed === 0 ? 100 : Math.min(100, (amount / allowed) * 100));
  const spentShare = share(spent);
  const reservedShare = Math.min(100 - spentShare, reserved > 0 ? share(reserved) : 0);
  return (
    <div
      aria-hidden="true"
      className="relative my-1.5 flex h-2 overflow-hidden rounded-full bg-active forced-colors:border forced-colors:border-[CanvasText]"
    >
      <div
        className={cx("h-full forced-colors:bg-[Highlight]", FILLS[allowed === 0 ? "used-up" : state])}
        style={{ width: `${spentShare}%` }}
      />
      <div
        className={cx("h-full opacity-40 forced-colors:bg-[GrayText]", FILLS[state])}
        style={{ width: `${reservedShare}%` }}
      />
      {warnAt !== null && allowed > 0 && (
        <div
          className="absolute inset-y-0 w-0.5 bg-surface forced-colors:bg-[CanvasText]"
          style={{ insetInlineStart: `${warnAt}%` }}
        />
      )}
    </div>
  );
}

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
