import {
  BadgeDollarSign,
  Bot,
  Building2,
  KeyRound,
  MessagesSquare,
  User,
  UsersRound,
  Workflow,
} from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { countOf } from "~/ui/format";
import { usePageAddress } from "~/ui/page-address";
import { type PageInfo, Pagination } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { changeActions } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import type { Budget } from "../budgets.schema";
import type { BudgetScope } from "../budgets.shared";
import { BudgetBar } from "./budget-bar";
import { budgetTitle, figuresOf } from "./budget-text";

const ICONS: Record<BudgetScope, ReactNode> = {
  organisation: <Building2 aria-hidden="true" />,
  group: <UsersRound aria-hidden="true" />,
  person: <User aria-hidden="true" />,
  persona: <Bot aria-hidden="true" />,
  workflow: <Workflow aria-hidden="true" />,
  token: <KeyRound aria-hidden="true" />,
  widget: <MessagesSquare aria-hidden="true" />,
};

function StateBadge({ state, limit, exception }: Budget) {
  // A limit of 0 is a ban, not a use.
  if (limit + exception === 0) return <Badge tone="danger">Blocked</Badge>;
  return (
    <Badge tone={state === "near" ? "warning" : "danger"}>
      {state === "near" ? "Near limit" : "Used up"}
    </Badge>
  );
}

function BudgetRow({ budget }: { budget: Budget }) {
  const { id, scope, unpricedCalls, unpriced } = budget;
  const address = usePageAddress();
  const title = budgetTitle(budget);
  return (
    <Row
      name={title}
      icon={ICONS[scope]}
      badges={budget.state !== "ok" && <StateBadge {...budget} />}
      details={
        <>
          <BudgetBar budget={budget} />
          <p className="text-muted text-xs tabular-nums">{figuresOf(budget)}</p>
          {unpricedCalls > 0 && (
            <p className="mt-0.5 text-warning-ink text-xs">
              {countOf(unpricedCalls, "call")} without a known price{" "}
              {unpriced === "allow" ? "counted as $0." : "aren't counted. New ones are refused."}
            </p>
          )}
        </>
      }
      actions={[
        {
          label: "Grant Exception",
          fullLabel: `Grant an exception to ${title}`,
          icon: <BadgeDollarSign />,
          to: address({ dialog: "exception", id }),
        },
        ...changeActions(address({ dialog: "edit", id }), address({ dialog: "delete", id })),
      ]}
    />
  );
}

interface BudgetListProps {
  budgets: readonly Budget[];
  pageInfo: PageInfo;
}

export function BudgetList({ budgets, pageInfo }: BudgetListProps) {
  const address = usePageAddress();
  return (
    <>
      <RowList label="Budgets" className="mb-3">
        {budgets.map((budget) => (
          <BudgetRow key={budget.id} budget={budget} />
        ))}
      </RowList>
      <Pagination pageInfo={pageInfo} label="Budgets" to={(page) => address({ page: String(page) })} />
    </>
  );
}
