import {
  type ShouldRevalidateFunction,
  useActionData,
  useLoaderData,
  useSearchParams,
} from "@remix-run/react";
import { Plus, WalletMinimal } from "lucide-react";
import { dashboardTabs } from "~/console/dashboard/components/dashboard-tabs";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { BudgetException, BudgetForm, BudgetInput, BudgetQuery } from "~/team/budgets/budgets.schema";
import {
  createBudget,
  deleteBudget,
  grantException,
  listBudgetTargets,
  pageBudgets,
  updateBudget,
} from "~/team/budgets/budgets.service.server";
import { BudgetDialog, ExceptionDialog } from "~/team/budgets/components/budget-dialogs";
import { BudgetList } from "~/team/budgets/components/budget-list";
import { budgetOwner } from "~/team/budgets/components/budget-text";
import { readOrganisation } from "~/team/organization/organization.service.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { PageTabs } from "~/ui/tabs";

export const meta = pageTitle("Budgets · Dashboard");

const { loader, action } = screen({
  access: "budgets.manage",
  query: BudgetQuery,
  load: ({ actor, query }) => {
    const page = pageBudgets(actor, query);
    const isMissing = query.dialog === "edit" && !page.selected;
    return {
      ...page,
      targets: query.dialog === "new" || isMissing ? listBudgetTargets(actor) : undefined,
      timeZone: readOrganisation(actor).timeZone,
    };
  },
  actions: {
    add: intent({
      access: "budgets.manage",
      input: BudgetInput,
      run: ({ actor, input }) => createBudget(actor, input),
      done: "Budget added",
    }),
    edit: intent({
      access: "budgets.manage",
      target: "id",
      input: BudgetForm,
      run: ({ actor, target, input }) => updateBudget(actor, target, input),
      done: "Budget saved",
    }),
    exception: intent({
      access: "budgets.manage",
      target: "id",
      input: BudgetException,
      run: ({ actor, target, input }) => grantException(actor, target, input),
      done: "Exception granted",
    }),
    delete: intent({
      access: "budgets.manage",
      target: "id",
      run: ({ actor, target }) => deleteBudget(actor, target),
      done: "Budget deleted",
      failed: { dialog: "Couldn't delete the budget" },
    }),
  },
});

const shouldRevalidate: ShouldRevalidateFunction = (change) =>
  change.actionStatus === 404 || change.defaultShouldRevalidate;

export { action, loader, shouldRevalidate };

export default function Budgets() {
  const { items: budgets, pageInfo, selected, targets, timeZone } = useLoaderData<typeof loader>();
  const address = usePageAddress();
  const closeTo = address();
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  // Revalidating after the budget was deleted elsewhere would remove the form.
  useLiveTopics(["budgets"], { isPaused: dialog === "edit" || dialog === "exception" });
  const isMissing = dialog !== null && dialog !== "new" && !selected;
  const add = (variant: "primary" | "secondary") => (
    <LinkButton
      to={address({ dialog: "new" })}
      preventScrollReset
      variant={variant}
      icon={<Plus aria-hidden="true" />}
    >
      Add Budget
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title="Budgets"
        subtitle="Limit what calls to models may cost per day or month"
        actions={add("primary")}
      />
      <PageTabs label="Dashboard" tabs={dashboardTabs("budgets", true)} />
      {budgets.length === 0 ? (
        <EmptyState
          icon={<WalletMinimal />}
          title="No budgets yet"
          description="Set a limit for the organization, a group, a member, a persona, a workflow or an API token."
          action={add("secondary")}
        />
      ) : (
        <>
          <BudgetList budgets={budgets} pageInfo={pageInfo} />
          <p className="mt-3 text-muted text-xs">Days and months begin at midnight, {timeZone} time.</p>
          <details className="max-w-prose text-muted text-xs">
            <summary className="w-fit cursor-pointer py-1 underline underline-offset-4">
              How calls count
            </summary>
            <p className="mt-1">
              Each call reserves its likely cost and counts its actual cost when it ends; if the provider
              reports no tokens, the estimate counts. Models without a known price count as $0 in US dollars,
              unless the budget refuses them. The built-in model is free.
            </p>
          </details>
        </>
      )}
      {dialog === "new" && targets && (
        <BudgetDialog budget={undefined} targets={targets} closeTo={closeTo} result={result} />
      )}
      {isMissing && !(dialog === "edit" && result) && (
        <MissingDialog message="Budget not found. It may have been deleted." closeTo={closeTo} />
      )}
      {dialog === "edit" && (selected || (result && targets)) && (
        <BudgetDialog
          key={search.get("id")}
          budget={selected}
          isMissing={isMissing}
          targets={selected ? undefined : targets}
          closeTo={closeTo}
          result={result}
        />
      )}
      {dialog === "exception" && selected && (
        <ExceptionDialog key={selected.id} budget={selected} closeTo={closeTo} result={result} />
      )}
      {dialog === "delete" && selected && (
        <ConfirmDialog
          title={`Delete the budget of ${budgetOwner(selected)}?`}
          description="Calls are no longer limited by it. Usage is kept: a new budget for the same target starts with what this period has spent."
          closeTo={closeTo}
          intent="delete"
          values={{ id: selected.id }}
          confirmLabel="Delete Budget"
        />
      )}
    </>
  );
}
