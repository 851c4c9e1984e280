import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { Field, Select, Textarea } from "~/ui/input";
import type { ModelValues } from "./model-values";
import { POLICY_CHOICES, policyLabel } from "./policies";
import { TargetRows } from "./target-rows";

interface RoutingFieldsProps {
  values: Pick<ModelValues, "policy" | "fallbacks" | "targets">;
  errors: Record<string, string[]>;
  providers: readonly { id: string; displayName: string }[];
  /** The organization's default. */
  defaultPolicy: RoutingPolicy;
  targets: { legend: string; hint: string };
}

/** A model's targets, their order and the fallbacks. */
export function RoutingFields({ values, errors, providers, defaultPolicy, targets }: RoutingFieldsProps) {
  return (
    <>
      <TargetRows {...targets} targets={values.targets} providers={providers} errors={errors} />
      <Field label="Routing policy" name="routing.policy" error={errors["routing.policy"]}>
        <Select defaultValue={values.policy}>
          <option value="">Organization default ({policyLabel(defaultPolicy)})</option>
          {POLICY_CHOICES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="Fallback models"
        name="routing.fallbacks"
        error={errors["routing.fallbacks"]}
        hint="Enter up to 5 model IDs, one per line. They are tried in this order when every provider fails."
      >
        <Textarea rows={2} defaultValue={values.fallbacks} spellCheck={false} className="font-mono" />
      </Field>
    </>
  );
}
