import { Form } from "@remix-run/react";
import { useRef } from "react";
import type { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { ModelFields } from "./model-fields";
import { BLANK_MODEL, submittedValues } from "./model-values";
import { RoutingFields } from "./routing-fields";

interface AddModelDialogProps {
  providers: readonly { id: string; displayName: string }[];
  defaultPolicy: RoutingPolicy;
  closeTo: string;
  result: Result;
}

/** A custom model: an unlisted id of a provider, or an alias. */
export function AddModelDialog({ providers, defaultPolicy, closeTo, result }: AddModelDialogProps) {
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const { errors, formError, submitted } = readResult(result);
  const values = submittedValues(submitted) ?? BLANK_MODEL;
  return (
    <Dialog
      title="Add Custom Model"
      description="Add a model that isn't listed, or one ID for a model that several providers offer."
      closeTo={closeTo}
      size="lg"
    >
      <Form method="post" ref={element} noValidate className="flex flex-col gap-4">
        {formError && (
          <Notice kind="danger" title="Failed to add model">
            {formError}
          </Notice>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Model ID"
            name="id"
            error={errors.id}
            required
            hint="Enter the ID used in chat, personas and the API"
          >
            <Input
              defaultValue={submittedText(submitted?.id)}
              placeholder="team/best"
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          </Field>
          <Field label="Provider" name="provider" error={errors.provider} hint="Leave blank for custom">
            <Input
              defaultValue={submittedText(submitted?.provider)}
              placeholder="custom"
              autoComplete="off"
            />
          </Field>
        </div>
        <ModelFields
          values={values}
          errors={errors}
          nameRequired
          placeholders={{ maxTokens: "4096", inputCost: "0", outputCost: "0" }}
          priceHint="Enter US dollars per 1K tokens"
        />
        <RoutingFields
          values={values}
          errors={errors}
          providers={providers}
          defaultPolicy={defaultPolicy}
          targets={{
            legend: "Served by",
            hint: "Choose up to four providers and their IDs for this model. Leave blank to use all providers of the type above.",
          }}
        />
        <FormActions closeTo={closeTo} intent="add-custom-model" label="Add Model" />
      </Form>
    </Dialog>
  );
}
