import type { SubmissionResult } from "@conform-to/react";
import { useNavigation } from "@remix-run/react";
import { useId, useState } from "react";
import { EffortField, ModelPicker } from "~/ai/models/model-field.shared";
import { mayReason, type OfferedModel } from "~/ai/models/model-picker.shared";
import { EFFECT_LABELS } from "~/ai/tools/effects.shared";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { Checkbox } from "~/ui/choice";
import { ChoiceList } from "~/ui/choice-list";
import { FormDialog } from "~/ui/form-dialog";
import { explainFormError } from "~/ui/form-result";
import { Field, FieldError, GroupedOptions, Input, Select, Textarea } from "~/ui/input";
import { RadioCard } from "~/ui/radio-card";
import { editedVersion, fieldProps, serverForm } from "~/ui/server-form";
import type { Mode, Persona, PersonaTrial } from "../personas.schema";
import {
  APPROVAL_OPTIONS,
  MODE_INSTRUCTIONS,
  MODE_OPTIONS,
  MODE_VARIANTS,
  VISIBILITY_LABELS,
} from "../personas.shared";
import { PersonaTryout, type PersonaTryoutProps, type Tryout } from "./persona-tryout";

type ToolChoice = Pick<ToolInfo, "name" | "title" | "effect" | "policy">;

interface PersonaDialogProps {
  persona?: Persona | undefined;
  /** Whether the edited persona was deleted meanwhile. */
  isMissing?: boolean;
  /** Source of a copy. */
  template?: Persona | undefined;
  model: string;
  models: readonly OfferedModel[];
  tools: ToolChoice[];
  /** Those that the user can see. */
  skills: { id: string; name: string; hint: string }[];
  personas: { id: string; name: string }[];
  groups: { id: string; name: string }[];
  /** Whether the user may change its visibility. */
  mayShare: boolean;
  /** Whether the user may use Try It. */
  mayTry: boolean;
  /** The trial's question and answer. */
  tryout: Tryout | undefined;
  Markdown: PersonaTryoutProps["Markdown"];
  closeTo: string;
  result?: SubmissionResult | undefined;
}

/** A form's values are texts. */
const typed = ({ assistantSteps, assistantBudget, ...submitted }: PersonaTrial) => ({
  ...submitted,
  assistantSteps: String(assistantSteps),
  assistantBudget: String(assistantBudget),
});

export function PersonaDialog(props: PersonaDialogProps) {
  const {
    persona,
    isMissing,
    template,
    model,
    models,
    tools,
    skills,
    personas,
    groups,
    mayShare,
    mayTry,
    tryout,
  } = props;
  const { closeTo, result } = props;
  const navigation = useNavigation();
  const isIdle = navigation.state === "idle";
  const copy = template && { ...template, name: `${template.name} copy` };
  const [form, fields] = serverForm<keyof PersonaTrial>({
    id: persona ? `persona-${persona.id}` : "persona",
    lastResult: isIdle ? (result ?? (tryout && { initialValue: typed(tryout.submitted) })) : null,
    defaultValue: persona ?? copy ?? { defaultModel: model, mode: "default" },
  });
  const [effort, setEffort] = useState(fields.reasoningEffort.initialValue ?? "default");
  const [chosen, setChosen] = useState(fields.defaultModel.initialValue);
  return (
    <FormDialog
      title={persona || isMissing ? "Edit Persona" : "New Persona"}
      description="Save a system prompt with a model, mode and tools"
      size="lg"
      closeTo={closeTo}
      result={isIdle ? result : undefined}
      problem={explainFormError(form.errors?.join(" "), isMissing ?? false, "Create")}
      hidden={{ id: persona?.id, updatedAt: editedVersion(fields.updatedAt, persona?.updatedAt) }}
      intent={persona ? "update" : "create"}
      label={persona ? "Save Changes" : "Create Persona"}
    >
      <div className="grid items-start gap-x-6 gap-y-4 md:grid-cols-[minmax(0,1fr)_16rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Field label="Name" {...fieldProps(fields.name)} required>
            <Input
              defaultValue={fields.name.initialValue}
              placeholder="Research analyst"
              autoComplete="off"
              {...(fields.name.errors ? { autoFocus: true } : {})}
            />
          </Field>
          <Field
            label="System prompt"
            {...fieldProps(fields.systemPrompt)}
            hint="Enter instructions that the model receives before every conversation"
          >
            <Textarea
              rows={6}
              defaultValue={fields.systemPrompt.initialValue}
              placeholder="You are a careful analyst. Name your sources."
            />
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Default model" {...fieldProps(fields.defaultModel)}>
              <ModelPicker
                models={models}
                defaultValue={fields.defaultModel.initialValue}
                onChange={({ target }) => setChosen(target.value)}
              />
            </Field>
            <EffortField
              {...fieldProps(fields.reasoningEffort)}
              isShown={mayReason(models, chosen ?? "")}
              hint="How much a model that reasons thinks"
              value={effort}
              onChange={setEffort}
            />
            <Field label="Mode" {...fieldProps(fields.mode)} className="sm:col-span-2">
              <Select defaultValue={fields.mode.initialValue}>
                <GroupedOptions options={MODE_OPTIONS} />
              </Select>
            </Field>
          </div>
          <ModeInstructions />
          <Tools
            tools={toolChoices(tools, persona)}
            chosen={fields.tools.initialValues}
            errors={fields.tools.errors}
          />
          <Choices
            label="Skills"
            name="skills"
            options={skills}
            own={persona?.skills}
            chosen={fields.skills.initialValues}
            errors={fields.skills.errors}
          />
          <Choices
            label="Personas it can ask"
            name="assistants"
            options={personas.filter(({ id }) => id !== persona?.id)}
            own={persona?.assistants}
            chosen={fields.assistants.initialValues}
            errors={fields.assistants.errors}
          />
          {personas.length > 0 && (
            <div className="grid gap-4 sm:grid-cols-2">
              <Field
                label="Steps per question"
                {...fieldProps(fields.assistantSteps)}
                hint="Model calls of an asked persona"
              >
                <Input
                  type="number"
                  min={1}
                  max={10}
                  defaultValue={fields.assistantSteps.initialValue ?? "3"}
                />
              </Field>
              <Field
                label="Budget per answer"
                {...fieldProps(fields.assistantBudget)}
                hint="Of all asked personas, in US dollars"
              >
                <Input
                  type="number"
                  min={0.01}
                  max={100}
                  step={0.01}
                  defaultValue={fields.assistantBudget.initialValue ?? "0.1"}
                />
              </Field>
            </div>
          )}
          <Field
            label="Approval"
            {...fieldProps(fields.approval)}
            hint="Choose which tool calls wait for your approval in chat"
          >
            <Select defaultValue={fields.approval.initialValue ?? "default"}>
              <GroupedOptions options={APPROVAL_OPTIONS} />
            </Select>
          </Field>
          {mayShare && (
            <PersonaSharing
              groups={groups}
              visibility={fields.visibility.initialValue ?? "everyone"}
              chosen={fields.groups.initialValues}
              errors={fields.groups.errors ?? fields.visibility.errors}
            />
          )}
          {/* Implicit submission uses the form's first button. */}
          <button
            type="submit"
            name="intent"
            value={persona ? "update" : "create"}
            tabIndex={-1}
            aria-hidden="true"
            className="sr-only"
          >
            Save
          </button>
        </div>
        {mayTry && (
          <PersonaTryout
            question={fields.question}
            tryout={isIdle ? tryout : undefined}
            Markdown={props.Markdown}
            isPending={navigation.formData?.get("intent") === "try"}
          />
        )}
      </div>
    </FormDialog>
  );
}

function ModeInstructions() {
  return (
    <details className="-mt-2 text-muted text-xs">
      <summary className="disclosure min-h-8 cursor-pointer py-2 pointer-coarse:min-h-11 pointer-coarse:py-3.5">
        Instructions that each mode adds
      </summary>
      <dl className="mt-1 grid gap-2 border-line border-l-2 pl-3">
        {Object.entries(MODE_INSTRUCTIONS).map(([mode, instructions]) => (
          <div key={mode}>
            <dt className="font-medium text-ink">{MODE_VARIANTS[mode as Mode].label}</dt>
            <dd>{instructions || "None. The model receives the system prompt alone."}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Keeps unavailable tools until they are removed. */
function toolChoices(tools: ToolChoice[], persona: Persona | undefined): (ToolChoice | { name: string })[] {
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

interface ChoicesProps {
  label: string;
  name: string;
  options: readonly { id: string; name: string; hint?: string }[];
  /** What the edited persona has. */
  own: readonly string[] | undefined;
  chosen: readonly unknown[];
  errors: string[] | undefined;
}

/** Keeps what is hidden from who edits. */
function Choices({ label, name, options, own = [], chosen, errors }: ChoicesProps) {
  const hidden = own.filter((id) => !options.some((option) => option.id === id));
  return (
    <>
      {hidden.map((id) => (
        <input key={id} type="hidden" name={name} value={id} />
      ))}
      {options.length > 0 && (
        <fieldset>
          <legend className="mb-1 font-medium text-ink text-sm">{label}</legend>
          <ChoiceList label={label} name={name} options={options} chosen={chosen} empty="" />
          {errors?.[0] && <FieldError>{errors[0]}</FieldError>}
        </fieldset>
      )}
    </>
  );
}

interface PersonaSharingProps {
  groups: readonly { id: string; name: string }[];
  visibility: string;
  chosen: readonly string[];
  errors: string[] | undefined;
}

function PersonaSharing({ groups, visibility, chosen, errors }: PersonaSharingProps) {
  const legend = useId();
  const error = useId();
  return (
    <fieldset
      aria-labelledby={legend}
      aria-describedby={errors?.[0] ? error : undefined}
      className="group/sharing flex min-w-0 flex-col gap-2"
    >
      <span id={legend} className="font-medium text-ink text-sm">
        Visibility
      </span>
      <div className="grid gap-2 sm:grid-cols-3">
        {Object.entries(VISIBILITY_LABELS).map(([value, { label, hint }]) => (
          <RadioCard
            key={value}
            name="visibility"
            value={value}
            label={label}
            hint={hint}
            defaultChecked={visibility === value}
          />
        ))}
      </div>
      <div className="hidden group-has-[[value=groups]:checked]/sharing:block">
        <ChoiceList
          label="Groups that see the persona"
          name="groups"
          options={groups}
          chosen={chosen}
          empty="There are no groups yet. Admins can add them under Members."
        />
      </div>
      {errors?.[0] && <FieldError id={error}>{errors[0]}</FieldError>}
    </fieldset>
  );
}
