import { FormDialog } from "~/ui/form-dialog";
import { explainFormError, type Result, readResult } from "~/ui/form-result";
import { Field, Input, Select } from "~/ui/input";
import type { Budget } from "../budgets.schema";
import { type BudgetScope, formatDay, SCOPE_LABELS } from "../budgets.shared";
import { budgetOwner } from "./budget-text";

type Targets = Record<Exclude<BudgetScope, "organisation">, readonly { id: string; name: string }[]>;

const PLURALS: Record<keyof Targets, string> = {
  group: "Groups",
  person: "Members",
  persona: "Personas",
  workflow: "Workflows",
  token: "API tokens",
  widget: "Widgets",
};

interface BudgetDialogProps {
  budget: Budget | undefined;
  isMissing?: boolean;
  targets: Targets | undefined;
  closeTo: string;
  result: Result;
}

export function BudgetDialog({ budget, isMissing = false, targets, closeTo, result }: BudgetDialogProps) {
  const { errors, formError, submitted } = readResult(result);
  const value = (name: string, stored: unknown = "") => String((submitted ? submitted[name] : stored) ?? "");
  return (
    <FormDialog
      title={budget ? `Edit the Budget of ${budgetOwner(budget)}` : isMissing ? "Edit Budget" : "Add Budget"}
      description="Calls to models stop when it is used up, until it resets or an admin grants an exception."
      closeTo={closeTo}
      result={result}
      problem={isFieldWrong(errors) ? null : explainFormError(formError, isMissing)}
      // All but the ID to add it again if it is deleted meanwhile.
      hidden={budget && { id: budget.id, target: budget.target, unit: budget.unit, period: budget.period }}
      intent={budget ? "edit" : "add"}
      label={budget ? "Save Changes" : "Add Budget"}
    >
      {targets && (
        <Field label="Target" name="target" error={errors.target} required>
          <Select defaultValue={value("target", "organisation")}>
            <option value="organisation">{SCOPE_LABELS.organisation}</option>
            {Object.entries(targets).map(
              ([scope, list]) =>
                list.length > 0 && (
                  <optgroup key={scope} label={PLURALS[scope as keyof Targets]}>
                    {list.map(({ id, name }) => (
                      <option key={id} value={`${scope}:${id}`}>
                        {name}
                      </option>
                    ))}
                  </optgroup>
                ),
            )}
          </Select>
        </Field>
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          label={budget ? `Limit in ${budget.unit === "money" ? "US dollars" : "tokens"}` : "Limit"}
          name="limit"
          error={errors.limit}
          required
        >
          <Input
            type="number"
            min={0}
            step="any"
            inputMode="decimal"
            defaultValue={value("limit", budget?.limit)}
            className="tabular-nums"
          />
        </Field>
        {!budget && (
          <>
            <Field label="Unit" name="unit" error={errors.unit}>
              <Select defaultValue={value("unit", "money")}>
                <option value="money">US dollars</option>
                <option value="tokens">Tokens</option>
              </Select>
            </Field>
            <Field label="Period" name="period" error={errors.period}>
              <Select defaultValue={value("period", "month")}>
                <option value="day">Day</option>
                <option value="month">Month</option>
              </Select>
            </Field>
          </>
        )}
      </div>
      <Field
        label="Warning threshold (%)"
        name="warnAt"
        error={errors.warnAt}
        hint="Leave blank to send no warning before the limit"
      >
        <Input
          type="number"
          min={1}
          max={100}
          inputMode="numeric"
          defaultValue={value("warnAt", budget ? budget.warnAt : 80)}
          className="max-w-32 tabular-nums"
        />
      </Field>
      {budget?.unit !== "tokens" && (
        <Field
          label="Unknown prices"
          name="unpriced"
          error={errors.unpriced}
          hint="Choose how a budget in US dollars treats these calls. To count them, enter the model's price or use tokens."
        >
          <Select defaultValue={value("unpriced", budget?.unpriced ?? "allow")}>
            <option value="allow">Count as $0</option>
            <option value="refuse">Refuse the call</option>
          </Select>
        </Field>
      )}
    </FormDialog>
  );
}

const isFieldWrong = (errors: Record<string, string[]>) => Object.keys(errors).some((name) => name !== "");

interface ExceptionDialogProps {
  budget: Budget;
  closeTo: string;
  result: Result;
}

export function ExceptionDialog({ budget, closeTo, result }: ExceptionDialogProps) {
  const { errors, submitted } = readResult(result);
  return (
    <FormDialog
      title={`Grant an Exception to ${budgetOwner(budget)}`}
      description={`Adds to the limit until the budget resets on ${formatDay(budget.resetsOn)}. It is recorded in the audit log.`}
      closeTo={closeTo}
      result={result}
      problem={isFieldWrong(errors) ? null : undefined}
      hidden={{ id: budget.id }}
      intent="exception"
      label="Grant Exception"
    >
      <Field
        label={budget.unit === "money" ? "Amount in US dollars" : "Amount in tokens"}
        name="amount"
        error={errors.amount}
        required
      >
        <Input
          type="number"
          min={0}
          step="any"
          inputMode="decimal"
          defaultValue={String(submitted?.amount ?? "")}
          className="max-w-48 tabular-nums"
        />
      </Field>
      <Field label="Reason" name="reason" error={errors.reason} required>
        <Input defaultValue={String(submitted?.reason ?? "")} maxLength={200} autoComplete="off" />
      </Field>
    </FormDialog>
  );
}
