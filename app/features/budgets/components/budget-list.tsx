import {
  BadgeDollarSign,
  Bot,
  Building2,
  KeyRound,
  Pencil,
  Trash2,
  User,
  UsersRound,
  Workflow,
} from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { countOf, formatCount } from "~/ui/format";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { toMicros } from "../amounts.schema";
import { formatAmount, formatDay } from "../budget-names.schema";
import type { Budget, BudgetScope } from "../budgets.schema";
import { BudgetBar } from "./budget-bar";

const ICONS: Record<BudgetScope, ReactNode> = {
  organisation: <Building2 aria-hidden="true" />,
  group: <UsersRound aria-hidden="true" />,
  person: <User aria-hidden="true" />,
  persona: <Bot aria-hidden="true" />,
  workflow: <Workflow aria-hidden="true" />,
  token: <KeyRound aria-hidden="true" />,
};

export const SCOPE_LABELS: Record<BudgetScope, string> = {
  organisation: "Organization",
  group: "Group",
  person: "Member",
  persona: "Persona",
  workflow: "Workflow",
  token: "API token",
};

/** A budget's name in the list and in its dialogs. */
export function budgetTitle({ scope, name }: Pick<Budget, "scope" | "name">): string {
  if (scope === "organisation") return "Organization";
  return (
    name ?? `Deleted ${SCOPE_LABELS[scope].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`
  );
}

/** Kind and figures of a budget as one line. */
function figuresOf(budget: Budget): string {
  const { scope, period, unit, spent, reserved, limit, exception, resetsOn } = budget;
  const amount = (value: number) => formatAmount(unit, toMicros(unit, value));
  const number = (value: number) => (unit === "money" ? amount(value) : formatCount(value));
  return [
    ...(scope === "organisation" || scope === "person" ? [] : [SCOPE_LABELS[scope]]),
    period === "day" ? "Daily" : "Monthly",
    `${number(spent)} of ${amount(limit + exception)} spent`,
    ...(reserved > 0 ? [`${amount(reserved)} reserved`] : []),
    ...(exception > 0 ? [`includes an exception of ${amount(exception)}`] : []),
    `resets on ${formatDay(resetsOn)}`,
  ].join(" · ");
}

function StateBadge({ state }: Pick<Budget, "state">) {
  if (state === "ok") return null;
  return (
    <Badge tone={state === "near" ? "warning" : "danger"}>
      {state === "near" ? "Near limit" : "Used up"}
    </Badge>
  );
}

function BudgetRow({ budget }: { budget: Budget }) {
  const { id, scope, unpricedCalls, unpriced } = budget;
  const query = `id=${encodeURIComponent(id)}`;
  const title = budgetTitle(budget);
  return (
    <Row
      name={title}
      icon={ICONS[scope]}
      badges={budget.state !== "ok" && <StateBadge state={budget.state} />}
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
          to: `?dialog=exception&${query}`,
        },
        { label: "Edit", icon: <Pencil />, to: `?dialog=edit&${query}` },
        { label: "Delete", icon: <Trash2 />, to: `?dialog=delete&${query}` },
      ]}
    />
  );
}

/** Every budget with what is spent, reserved and left. */
export function BudgetList({ budgets }: { budgets: readonly Budget[] }) {
  return (
    <RowList label="Budgets">
      {budgets.map((budget) => (
        <BudgetRow key={budget.id} budget={budget} />
      ))}
    </RowList>
  );
}
