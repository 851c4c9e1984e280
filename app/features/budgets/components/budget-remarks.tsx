import { Notice } from "~/ui/notice";
import type { BudgetRemark } from "../budgets.schema";

export function BudgetRemarks({
  remarks,
  className,
}: {
  remarks: readonly BudgetRemark[];
  className?: string;
}) {
  const [first] = remarks;
  if (!first) return null;
  return (
    <Notice kind="warning" {...(className ? { className } : {})}>
      {remarks.map(({ text }) => (
        <p key={text}>{text}</p>
      ))}
    </Notice>
  );
}
