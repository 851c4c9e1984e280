import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { Form, useNavigation } from "@remix-run/react";
import { Columns3 } from "lucide-react";
import { useRef } from "react";
import { Button } from "~/ui/button";
import { useFocusFirstError } from "~/ui/dialog";
import { Field, FieldError } from "~/ui/field";
import { Select, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { COLUMNS } from "../limits.schema";

interface Props {
  models: readonly { id: string; name: string; providerName: string }[];
  defaults: { prompt: string; models: readonly string[] };
  result: SubmissionResult<string[]> | null | undefined;
}

/** One prompt and the models to put it to. */
export function ComparisonForm({ models, defaults, result }: Props) {
  const [form, fields] = useForm<Record<"prompt" | "models", unknown>>({
    id: "comparison",
    lastResult: result ?? null,
  });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const navigation = useNavigation();
  const pending = navigation.formData?.get("intent") === "compare";
  const sent = form.initialValue;
  const prompt = typeof sent?.prompt === "string" ? sent.prompt : defaults.prompt;
  const chosen: readonly unknown[] = sent?.models === undefined ? defaults.models : [sent.models].flat();
  const modelErrors = Object.entries(form.allErrors).find(([name]) => /^models\b/.test(name))?.[1];
  return (
    <Form method="post" {...getFormProps(form)} ref={element} noValidate className="flex flex-col gap-4">
      {form.errors?.[0] && !modelErrors && <Notice kind="danger">{form.errors[0]}</Notice>}
      <Field label="Prompt" name="prompt" error={fields.prompt?.errors} required>
        <Textarea rows={5} defaultValue={prompt} placeholder="Ask all of them the same..." />
      </Field>
      <fieldset aria-describedby={modelErrors ? "models-error" : undefined}>
        <legend className="mb-1.5 font-medium text-sm">Models</legend>
        {modelErrors?.[0] && <FieldError id="models-error">{modelErrors[0]}</FieldError>}
        <div className="mt-1 grid gap-3 sm:grid-cols-2">
          {Array.from({ length: COLUMNS.max }, (_, index) => `Model ${index + 1}`).map((label, index) => {
            const optional = index >= COLUMNS.min;
            const value = chosen[index];
            return (
              <Field key={label} label={optional ? `${label} (optional)` : label} name="models">
                <Select
                  defaultValue={typeof value === "string" ? value : ""}
                  aria-invalid={modelErrors ? true : undefined}
                >
                  <option value="">{optional ? "None" : "Choose a model"}</option>
                  {models.map((model) => (
                    <option key={model.id} value={model.id}>
                      {model.name} · {model.providerName}
                    </option>
                  ))}
                </Select>
              </Field>
            );
          })}
        </div>
      </fieldset>
      <div className="flex justify-end">
        <Button
          variant="primary"
          name="intent"
          value="compare"
          icon={<Columns3 aria-hidden="true" />}
          pending={pending}
        >
          Compare
        </Button>
      </div>
    </Form>
  );
}
