import { cx } from "~/ui/class-names";
import type { Budget, BudgetState } from "../budgets.schema";

const FILLS: Record<BudgetState, string> = {
  ok: "bg-primary-ink",
  near: "bg-warning-ink",
  "used-up": "bg-danger-ink",
};

/** Spent and reserved shares, with a mark at the warning. The figures are beside it as text. */
export function BudgetBar({ budget }: { budget: Budget }) {
  const { spent, reserved, limit, exception, state, warnAt } = budget;
  const allowed = limit + exception;
  if (allowed === 0) return null;
  const share = (amount: number) => Math.min(100, (amount / allowed) * 100);
  const spentShare = share(spent);
  const reservedShare = Math.min(100 - spentShare, reserved > 0 ? share(reserved) : 0);
  return (
    <div
      aria-hidden="true"
      className="relative my-1.5 flex h-2 overflow-hidden rounded-full bg-active forced-colors:border forced-colors:border-[CanvasText]"
    >
      <div
        className={cx("h-full forced-colors:bg-[Highlight]", FILLS[state])}
        style={{ width: `${spentShare}%` }}
      />
      <div
        className={cx("h-full opacity-40 forced-colors:bg-[GrayText]", FILLS[state])}
        style={{ width: `${reservedShare}%` }}
      />
      {warnAt !== null && (
        <div
          className="absolute inset-y-0 w-0.5 bg-surface forced-colors:bg-[CanvasText]"
          style={{ insetInlineStart: `${warnAt}%` }}
        />
      )}
    </div>
  );
}
