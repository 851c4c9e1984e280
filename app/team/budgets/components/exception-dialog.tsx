import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formatDay } from "../budget-names.shared";
import type { Budget } from "../budgets.schema";
import { budgetOwner } from "./budget-text";

interface ExceptionDialogProps {
  budget: Budget;
  closeTo: string;
  result: Result;
}

export function ExceptionDialog({ budget, closeTo, result }: ExceptionDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const { errors, formError, submitted } = readResult(result);
  useFocusFirstError(form, result);
  return (
    <Dialog
      title={`Grant an Exception to ${budgetOwner(budget)}`}
      description={`Adds to the limit until the budget resets on ${formatDay(budget.resetsOn)}. It is recorded in the audit log.`}
      closeTo={closeTo}
    >
      <Form ref={form} method="post" preventScrollReset noValidate className="flex flex-col gap-4">
        {formError && Object.keys(errors).every((name) => name === "") && (
          <Notice kind="danger">{formError}</Notice>
        )}
        <input type="hidden" name="id" value={budget.id} />
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
        <FormActions closeTo={closeTo} intent="exception" label="Grant Exception" />
      </Form>
    </Dialog>
  );
}
