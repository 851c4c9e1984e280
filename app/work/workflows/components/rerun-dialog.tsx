import { Form } from "@remix-run/react";
import { Dialog, FormActions } from "~/ui/dialog";
import { type Result, readResult } from "~/ui/form-result";
import { countOf } from "~/ui/format";
import { Field, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { RerunPlan } from "../runs.schema";

interface RerunDialogProps {
  plan: RerunPlan | undefined;
  /** Why there is no plan. */
  missing: string | undefined;
  closeTo: string;
  result: Result;
}

/** Starts a new run at a step, whose input can be edited. */
export function RerunDialog({ plan, missing, closeTo, result }: RerunDialogProps) {
  const { errors, formError, submitted } = readResult(result);
  if (!plan)
    return (
      <Dialog title="Run from a Step" description={missing ?? ""} closeTo={closeTo}>
        {null}
      </Dialog>
    );
  const { stepId, label, json, reason, kept } = plan;
  const earlier =
    kept === 0
      ? "No earlier step is kept."
      : `Outputs of ${countOf(kept, "earlier step")} are kept, not computed again.`;
  return (
    <Dialog
      title={`Run from ${label}`}
      description={`A new run of the workflow as it is now begins here. ${earlier}`}
      closeTo={closeTo}
      size="lg"
    >
      <Form method="post" noValidate className="flex flex-col gap-4">
        <input type="hidden" name="step" value={stepId} />
        {formError && !errors.json && <Notice kind="danger">{formError}</Notice>}
        {json === undefined ? (
          <p className="text-muted">{reason}</p>
        ) : (
          <Field
            label="Input (JSON)"
            name="json"
            error={errors.json}
            hint="Leave it as it is to resolve the step's expressions again."
          >
            <Textarea
              rows={14}
              defaultValue={String(submitted?.json ?? json)}
              spellCheck={false}
              className="font-mono text-xs"
              autoFocus
            />
          </Field>
        )}
        <FormActions closeTo={closeTo} intent="rerun" label="Start Run" />
      </Form>
    </Dialog>
  );
}
