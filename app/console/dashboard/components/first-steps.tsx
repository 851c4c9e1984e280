import { Form, Link } from "@remix-run/react";
import { ArrowRight, Check, ListChecks, X } from "lucide-react";
import { IconButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { cx } from "~/ui/class-names";
import type { FirstStep } from "../overview.schema";

export function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  const done = steps.filter((step) => step.done).length;
  return (
    <Card
      title="Get Started"
      description={`${done} of ${steps.length} done`}
      icon={<ListChecks />}
      actions={
        <Form method="post" preventScrollReset className="-my-1.5">
          <input type="hidden" name="intent" value="hide-first-steps" />
          <IconButton label="Hide this checklist" icon={<X />} />
        </Form>
      }
    >
      <ol className="-m-2 grid gap-x-2 sm:grid-cols-2">
        {steps.map((step) => (
          <li key={step.id} className="min-w-0">
            <Step step={step} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

const ROW = "flex min-h-11 items-center gap-3 rounded-md p-2";

function Step({ step }: { step: FirstStep }) {
  const text = (
    <span className="min-w-0 flex-1">
      <span className={cx("block", step.done ? "text-muted" : "font-medium")}>
        {step.title}
        {step.done && <span className="sr-only"> (done)</span>}
      </span>
      {!step.done && <span className="block text-pretty text-muted text-xs">{step.description}</span>}
    </span>
  );
  if (step.done) {
    return (
      <div className={ROW}>
        <span className="grid size-5 shrink-0 place-items-center rounded-full bg-success-soft text-success-ink">
          <Check aria-hidden="true" className="size-3.5" />
        </span>
        {text}
      </div>
    );
  }
  return (
    <Link to={step.to} className={cx(ROW, "hover:bg-hover")}>
      <span aria-hidden="true" className="size-5 shrink-0 rounded-full border border-edge" />
      {text}
      <ArrowRight aria-hidden="true" className="size-4 shrink-0 text-muted" />
    </Link>
  );
}
