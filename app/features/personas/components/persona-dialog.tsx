import type { SubmissionResult } from "@conform-to/react";
import { Form, useNavigation } from "@remix-run/react";
import { useRef } from "react";
import { EFFECT_LABELS } from "~/features/tools/effects.schema";
import type { ToolInfo } from "~/features/tools/tools.schema";
import { Checkbox } from "~/ui/choice";
import { Dialog, FormActions, useFocusFirstError } from "~/ui/dialog";
import { Field, FieldError } from "~/ui/field";
import { Input, Select, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { formProps, serverForm } from "~/ui/server-form";
import type { Persona, PersonaInput } from "../personas.schema";
import { MODE_LOOKS } from "./modes";

/** A tool as the form offers it. */
type ToolChoice = Pick<ToolInfo, "name" | "title" | "effect" | "policy">;

/** A model as the form offers it. */
interface ModelOption {
  id: string;
  /** Whether it can be called now. */
  callable: boolean;
}

interface PersonaDialogProps {
  /** The persona to edit; a new one without it. */
  persona?: Persona | undefined;
  /** The persona that a new one copies. */
  template?: Persona | undefined;
  /** The model that a new persona's form begins with. */
  model: string;
  models: ModelOption[];
  tools: ToolChoice[];
  closeTo: string;
  /** What the server said to the last try. */
  result?: SubmissionResult | undefined;
}

function copyOf(template: Persona | undefined) {
  return template && { ...template, name: `${template.name} copy` };
}

/** The form of a new persona, or of one that is changed. */
export function PersonaDialog({
  persona,
  template,
  model,
  models,
  tools,
  closeTo,
  result,
}: PersonaDialogProps) {
  const intent = persona ? "update" : "create";
  const navigation = useNavigation();
  const [form, fields] = serverForm<keyof PersonaInput>({
    id: persona ? `persona-${persona.id}` : "persona",
    lastResult: navigation.state === "idle" ? result : null,
    defaultValue: persona ?? copyOf(template) ?? { defaultModel: model, mode: "default" },
  });
  const element = useRef<HTMLFormElement>(null);
  useFocusFirstError(element, navigation.state === "idle" ? result : undefined);
  return (
    <Dialog
      title={persona ? "Edit Persona" : "New Persona"}
      description="Save a system prompt with a model, mode and tools"
      closeTo={closeTo}
    >
      <Form method="post" {...formProps(form)} ref={element} className="flex flex-col gap-4">
        {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
        {persona && <input type="hidden" name="id" value={persona.id} />}
        <Field label="Name" id={fields.name.id} name="name" error={fields.name.errors} required>
          <Input
            defaultValue={fields.name.initialValue}
            placeholder="Research analyst"
            autoComplete="off"
            {...(fields.name.errors ? { autoFocus: true } : {})}
          />
        </Field>
        <Field
          label="System prompt"
          id={fields.systemPrompt.id}
          name="systemPrompt"
          error={fields.systemPrompt.errors}
          hint="Instructions the model receives before every conversation"
        >
          <Textarea
            rows={6}
            defaultValue={fields.systemPrompt.initialValue}
            placeholder="You are a careful analyst. Name your sources."
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Default model"
            id={fields.defaultModel.id}
            name="defaultModel"
            error={fields.defaultModel.errors}
          >
            <Select defaultValue={fields.defaultModel.initialValue}>
              {models.map(({ id, callable }) => (
                <option key={id} value={id}>
                  {callable ? id : `${id} (not available)`}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="Mode" id={fields.mode.id} name="mode" error={fields.mode.errors}>
            <Select defaultValue={fields.mode.initialValue}>
              {Object.entries(MODE_LOOKS).map(([mode, { label, hint }]) => (
                <option key={mode} value={mode}>
                  {label} · {hint}
                </option>
              ))}
            </Select>
          </Field>
        </div>
        <Tools
          tools={offered(tools, persona)}
          chosen={fields.tools.initialValues}
          errors={fields.tools.errors}
        />
        <FormActions closeTo={closeTo} intent={intent} label={persona ? "Save Changes" : "Create Persona"} />
      </Form>
    </Dialog>
  );
}

/** A tool that is gone or switched off since stays on the persona until it is taken off. */
function offered(tools: ToolChoice[], persona: Persona | undefined): (ToolChoice | { name: string })[] {
  const own = persona?.tools ?? [];
  const gone = own.filter((name) => !tools.some((tool) => tool.name === name));
  const offers = tools.filter(({ name, policy }) => policy !== "never" || own.includes(name));
  return [...offers, ...gone.map((name) => ({ name }))];
}

function hintOf(tool: ToolChoice | { name: string }): string {
  if (!("title" in tool)) return "No longer installed";
  if (tool.policy === "never") return "Turned off by an admin; the persona answers without it";
  return `${tool.title} · ${EFFECT_LABELS[tool.effect]}`;
}

interface ToolsProps {
  tools: (ToolChoice | { name: string })[];
  chosen: (string | undefined)[];
  errors: string[] | undefined;
}

function Tools({ tools, chosen, errors }: ToolsProps) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink text-sm">Tools</legend>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {tools.map((tool) => (
          <Checkbox
            key={tool.name}
            name="tools"
            value={tool.name}
            defaultChecked={chosen.includes(tool.name)}
            label={<span className="font-mono">{tool.name}</span>}
            hint={hintOf(tool)}
          />
        ))}
      </div>
      {errors?.[0] && <FieldError>{errors[0]}</FieldError>}
    </fieldset>
  );
}
