import { Notice } from "~/ui/notice";
import type { BudgetWarning } from "../budgets.schema";

export function BudgetWarnings({
  warnings,
  className,
}: {
  warnings: readonly BudgetWarning[];
  className?: string;
}) {
  const [first] = warnings;
  if (!first) return null;
  return (
    <Notice kind="warning" {...(className ? { className } : {})}>
      {warnings.map(({ text }) => (
        <p key={text}>{text}</p>
      ))}
    </Notice>
  );
}
