import { Form } from "@remix-run/react";
import { useRef } from "react";
import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { Checkbox } from "~/ui/choice";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import type { EditedModel } from "../model-views.schema";
import { formatPrice } from "./format";
import { ModelFields } from "./model-fields";
import { type ModelValues, submittedValues } from "./model-values";
import { RoutingFields } from "./routing-fields";

interface EditModelDialogProps extends EditedModel {
  providers: readonly { id: string; displayName: string }[];
  defaultPolicy: RoutingPolicy;
  closeTo: string;
  result: Result;
}

function storedValues({ settings, model: shown }: EditedModel): ModelValues {
  const { routing, cost } = settings;
  const text = (value: string | number | null | undefined) => String(value ?? "");
  return {
    name: text(settings.name),
    description: text(settings.description),
    maxTokens: text(settings.maxTokens),
    inputCost: text(cost?.input),
    outputCost: text(cost?.output),
    capabilities: shown.capabilities,
    policy: text(routing?.policy),
    fallbacks: (routing?.fallbacks ?? []).join("\n"),
    targets: routing?.targets ?? [],
  };
}

export function EditModelDialog(props: EditModelDialogProps) {
  const { settings, model: shown, listedRecommended, providers, defaultPolicy, closeTo, result } = props;
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const { errors, formError, submitted } = readResult(result);
  const values = submittedValues(submitted) ?? storedValues(props);
  const isChecked = (name: string, stored: boolean) => (submitted ? submitted[name] !== undefined : stored);
  const price = settings.cost ? "as listed" : undefined;
  return (
    <Dialog
      title={`Edit ${shown.name}`}
      description={
        shown.name === shown.id ? undefined : <span className="break-all font-mono">{shown.id}</span>
      }
      closeTo={closeTo}
      size="lg"
    >
      <Form method="post" ref={element} noValidate className="flex flex-col gap-4">
        {formError && (
          <Notice kind="danger" title="Failed to update model">
            {formError}
          </Notice>
        )}
        <input type="hidden" name="model" value={shown.id} />
        <input type="hidden" name="shownCapabilities" value={shown.capabilities.join(",")} />
        <input type="hidden" name="listedRecommended" value={listedRecommended ? "on" : ""} />
        <ModelFields
          values={values}
          errors={errors}
          placeholders={{
            name: settings.name ? "as listed" : shown.name,
            maxTokens: settings.maxTokens ? "as listed" : String(shown.maxTokens),
            inputCost: price ?? formatPrice(shown.cost.input),
            outputCost: price ?? formatPrice(shown.cost.output),
          }}
          priceHint="Leave blank for the catalog price, in US dollars per 1K tokens"
        />
        <div className="grid gap-x-4 sm:grid-cols-2">
          <Checkbox
            name="recommended"
            label="Recommended"
            hint="Mark in lists and prefer as the default model"
            defaultChecked={isChecked("recommended", shown.recommended)}
          />
          <Checkbox
            name="hidden"
            label="Hidden"
            hint="Remove from pickers; the API can still call it by ID"
            defaultChecked={isChecked("hidden", settings.hidden)}
          />
        </div>
        <RoutingFields
          values={values}
          errors={errors}
          providers={providers}
          defaultPolicy={defaultPolicy}
          targets={{
            legend: "Additional providers",
            hint: "Add providers that offer this model under another ID.",
          }}
        />
        <FormActions closeTo={closeTo} intent="save-model" label="Save Changes" />
      </Form>
    </Dialog>
  );
}
