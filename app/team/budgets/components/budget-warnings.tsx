import { Link } from "@remix-run/react";
import { Notice } from "~/ui/notice";
import type { BudgetWarning } from "../budgets.schema";

export function BudgetWarnings({
  warnings,
  mayManage = false,
  className,
}: {
  warnings: readonly BudgetWarning[];
  /** Whether the reader may raise them. */
  mayManage?: boolean;
  className?: string;
}) {
  const [first] = warnings;
  if (!first) return null;
  return (
    <Notice kind="warning" {...(className ? { className } : {})}>
      {warnings.map(({ text }) => (
        <p key={text}>{text}</p>
      ))}
      {mayManage && (
        <Link to="/usage/budgets" className="text-primary-ink underline">
          Budgets
        </Link>
      )}
    </Notice>
  );
}
