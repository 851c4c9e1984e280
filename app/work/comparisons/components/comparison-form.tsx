import type { SubmissionResult } from "@conform-to/react";
import { Form, useNavigation } from "@remix-run/react";
import { Columns3 } from "lucide-react";
import { useRef, useState } from "react";
import { EffortField, ModelPicker } from "~/ai/models/model-field.shared";
import { mayReason, type OfferedModel } from "~/ai/models/model-picker.shared";
import { Button } from "~/ui/button";
import { useFocusFirstError } from "~/ui/dialog";
import { Field, FieldError, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formProps, serverForm } from "~/ui/server-form";
import { COLUMNS } from "../columns.shared";

interface Props {
  models: readonly OfferedModel[];
  defaults: { prompt: string; models: readonly string[] };
  result: SubmissionResult<string[]> | null | undefined;
}

export function ComparisonForm({ models, defaults, result }: Props) {
  const [form, fields] = serverForm<"prompt" | "models">({ id: "comparison", lastResult: result });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, result);
  const navigation = useNavigation();
  const pending = navigation.formData?.get("intent") === "compare";
  const submitted: Record<string, unknown> | undefined = form.initialValue;
  const prompt = typeof submitted?.prompt === "string" ? submitted.prompt : defaults.prompt;
  const [effort, setEffort] = useState(String(submitted?.reasoningEffort ?? "default"));
  const chosen: readonly unknown[] =
    submitted?.models === undefined ? defaults.models : [submitted.models].flat();
  const [selected, setSelected] = useState(() => chosen.map(String));
  // An error is hidden once its field changes.
  const [edited, setEdited] = useState<{ result: unknown; names: string[] }>({ result, names: [] });
  const isEdited = (name: string) => edited.result === result && edited.names.includes(name);
  const button = useRef<HTMLButtonElement>(null);
  const errorsOf = Object.entries(form.allErrors).find(([name]) => /^models\b/.test(name))?.[1];
  const modelErrors = isEdited("models") ? undefined : errorsOf;
  return (
    <Form
      method="post"
      {...formProps(form)}
      ref={element}
      noValidate
      className="flex flex-col gap-4"
      onInput={({ target }) => {
        const name = target instanceof Element ? (target.getAttribute("name") ?? "") : "";
        if (!isEdited(name)) {
          setEdited((before) => ({
            result,
            names: before.result === result ? [...before.names, name] : [name],
          }));
        }
      }}
    >
      {form.errors?.[0] && !errorsOf && <Notice kind="danger">{form.errors[0]}</Notice>}
      <Field
        label="Prompt"
        name="prompt"
        error={isEdited("prompt") ? undefined : fields.prompt?.errors}
        hint={
          <span className="scripted:inline hidden pointer-coarse:hidden!">
            <kbd>Ctrl</kbd>+<kbd>Enter</kbd> to compare
          </span>
        }
        required
      >
        <Textarea
          rows={5}
          defaultValue={prompt}
          placeholder="Enter a prompt for all models…"
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            button.current?.click();
          }}
        />
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
                <ModelPicker
                  models={models}
                  blank={optional ? "None" : "Choose a model"}
                  defaultValue={typeof value === "string" ? value : ""}
                  aria-invalid={modelErrors ? true : undefined}
                  onChange={({ target }) =>
                    setSelected((before) => Object.assign([...before], { [index]: target.value }))
                  }
                />
              </Field>
            );
          })}
        </div>
      </fieldset>
      <EffortField
        name="reasoningEffort"
        isShown={selected.some((id) => id && mayReason(models, id))}
        hint="How much models that reason think"
        value={effort}
        onChange={setEffort}
        className="max-w-60"
      />
      <div className="flex justify-end">
        <Button
          ref={button}
          variant="primary"
          name="intent"
          value="compare"
          icon={<Columns3 />}
          pending={pending}
        >
          Compare
        </Button>
      </div>
    </Form>
  );
}
