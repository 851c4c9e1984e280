import { Form, useLocation } from "@remix-run/react";
import { ChartNoAxesColumn, Settings2, Wrench } from "lucide-react";
import { EffortField, ModelPicker } from "~/ai/models/model-field.shared";
import type { EffortChoice } from "~/ai/models/model-picker.shared";
import { EFFECT_LABELS } from "~/ai/tools/effects.shared";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Checkbox } from "~/ui/choice";
import { Field, HiddenFields, Select } from "~/ui/input";
import { useInPlace } from "~/ui/sending";
import { Slider } from "~/ui/slider";
import type { ChatMessage } from "../chat.schema";
import { type ChatChoices, MAX_STEPS } from "../chat-choices.shared";
import { ContextGauge } from "./context-gauge";
import { type ChosenOptions, personaHint } from "./use-chat-options";

/** Choosing a model changes this conversation alone. */
function UseByDefault({ model }: { model: string }) {
  const { send, isSending } = useInPlace("model-picker");
  const { pathname, search } = useLocation();
  return (
    <Form
      method="post"
      action="/model"
      onSubmit={(event) => {
        event.preventDefault();
        send({ model }, "/model");
      }}
    >
      <HiddenFields values={{ model, returnTo: pathname + search }} />
      <Button size="sm" pending={isSending}>
        Use by Default
      </Button>
    </Form>
  );
}

interface Props {
  formId: string;
  choices: ChatChoices;
  chosen: ChosenOptions;
  /** The last answer whose use of the context is known. */
  answered: ChatMessage | undefined;
  messageCount: number;
  disabled: boolean;
}

export function ChatSettings({ formId, choices, chosen, answered, messageCount, disabled }: Props) {
  const { options, version, change: onChange } = chosen;
  const model = choices.models.find((candidate) => candidate.id === options.model);
  const persona = choices.personas.find((candidate) => candidate.id === options.persona);
  const toggle = (name: string, on: boolean) =>
    onChange({ tools: on ? [...options.tools, name] : options.tools.filter((tool) => tool !== name) });
  return (
    <div className="flex min-w-0 flex-col gap-4" data-chat-settings="">
      <Card title="Settings" icon={<Settings2 aria-hidden="true" />}>
        <div className="space-y-4">
          <Field label="Model" name="model">
            <ModelPicker
              models={choices.models}
              form={formId}
              value={options.model}
              disabled={disabled}
              onChange={(event) => chosen.chooseModel(event.target.value)}
            />
          </Field>
          <EffortField
            name="reasoningEffort"
            isShown={model?.reasons === true}
            hint="How much the model thinks before it answers"
            form={formId}
            value={options.effort}
            disabled={disabled}
            onChange={(effort) => onChange({ effort: effort as EffortChoice })}
          />
          {options.model !== choices.defaultModel && <UseByDefault model={options.model} />}
          <Field label="Persona" name="persona" hint={personaHint(options, choices)}>
            <Select
              form={formId}
              value={options.persona}
              disabled={disabled}
              onChange={(event) => onChange({ persona: event.target.value })}
            >
              <option value="">Default</option>
              {choices.personas.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
          {choices.personas.length > 0 && (
            <noscript>
              <Button
                form={formId}
                name="intent"
                value="persona"
                size="sm"
                disabled={disabled}
                formNoValidate
              >
                Use Persona
              </Button>
            </noscript>
          )}
          <Field label="Max Steps" name="maxSteps" hint="Maximum model calls per answer">
            <Slider
              key={version}
              form={formId}
              min={MAX_STEPS.min}
              max={MAX_STEPS.max}
              defaultValue={options.maxSteps}
              disabled={disabled}
              onValue={(maxSteps) => onChange({ maxSteps })}
            />
          </Field>
          {choices.memory && (
            <Checkbox
              name="memory"
              value="on"
              form={formId}
              checked={options.memory}
              disabled={disabled}
              onChange={(event) => onChange({ memory: event.target.checked })}
              label="Memory"
              hint="Uses what is kept under Settings, Profile, and on the project's page, and may propose more"
            />
          )}
        </div>
      </Card>
      {answered?.metrics?.context && (
        <ContextGauge use={answered.metrics.context} model={answered.model ?? "the model"} />
      )}
      <Card title="Available Tools" icon={<Wrench aria-hidden="true" />}>
        <fieldset disabled={disabled}>
          <legend className="sr-only">Available Tools</legend>
          {choices.tools.map((tool) => (
            <Checkbox
              key={tool.name}
              name="tools"
              value={tool.name}
              form={formId}
              checked={options.tools.includes(tool.name)}
              onChange={(event) => toggle(tool.name, event.target.checked)}
              label={
                <span className="flex flex-wrap items-center gap-2">
                  <span className="font-mono text-xs">{tool.name}</span>
                  <Badge>{EFFECT_LABELS[tool.effect]}</Badge>
                </span>
              }
              hint={tool.title}
            />
          ))}
        </fieldset>
      </Card>
      <Card title="Session Stats" icon={<ChartNoAxesColumn aria-hidden="true" />}>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm [&_dd]:wrap-anywhere [&_dd]:text-right [&_dt]:text-muted">
          <dt>Messages</dt>
          <dd className="tabular-nums">{messageCount}</dd>
          <dt>Model</dt>
          <dd title={options.model}>{model?.name ?? (options.model || "None")}</dd>
          <dt>Tools enabled</dt>
          <dd className="tabular-nums">{options.tools.length}</dd>
          {persona && (
            <>
              <dt>Persona</dt>
              <dd>{persona.name}</dd>
            </>
          )}
        </dl>
      </Card>
    </div>
  );
}
