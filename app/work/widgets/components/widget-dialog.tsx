import type { SubmissionResult } from "@conform-to/react";
import { ChoiceList } from "~/ui/choice-list";
import { Dialog } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import { explainFormError } from "~/ui/form-result";
import { Field, FieldError, Input, Select, Textarea } from "~/ui/input";
import { editedVersion, fieldProps, type ServerField, serverForm } from "~/ui/server-form";
import type { Widget, WidgetInput } from "../widgets.schema";
import { WIDGET_DEFAULTS } from "../widgets.shared";

interface Choice {
  id: string;
  name: string;
  hint?: string;
}

export interface WidgetChoices {
  personas: readonly Choice[];
  models: readonly Choice[];
  tools: readonly Choice[];
  categories: readonly Choice[];
}

interface WidgetDialogProps {
  widget?: Widget | undefined;
  choices: WidgetChoices;
  closeTo: string;
  result: SubmissionResult | undefined;
}

const NUMBERS = [
  ["perVisitor", "Messages per visitor", "In an hour"],
  ["perNetwork", "Messages per network address", "In an hour; an office may share one"],
  ["maxLength", "Characters per message", ""],
  ["maxQuestions", "Messages per conversation", ""],
  ["retentionDays", "Days kept", "Conversations are deleted after their last message"],
] as const;

/** Keeps what is no longer offered. */
function Options({ field, none, options }: { field: ServerField; none: string; options: readonly Choice[] }) {
  const { initialValue: chosen = "" } = field;
  const isGone = chosen !== "" && !options.some(({ id }) => id === chosen);
  return (
    <Select defaultValue={chosen}>
      <option value="">{none}</option>
      {isGone && <option value={chosen}>{chosen} (not available)</option>}
      {options.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

export function WidgetDialog({ widget, choices, closeTo, result }: WidgetDialogProps) {
  const defaults = widget && {
    ...widget,
    starters: widget.starters.join("\n"),
    origins: widget.origins.join("\n"),
  };
  const [form, fields] = serverForm<keyof WidgetInput | "updatedAt">({
    id: widget ? `widget-${widget.id}` : "widget",
    lastResult: result,
    defaultValue: defaults ?? WIDGET_DEFAULTS,
  });
  const tools = [
    ...choices.tools,
    ...(widget?.tools ?? [])
      .filter((name) => !choices.tools.some(({ id }) => id === name))
      .map((name) => ({ id: name, name, hint: "No longer available; answers go without it" })),
  ];
  return (
    <FormDialog
      title={widget ? "Edit Widget" : "New Widget"}
      description="A chat that anyone on the sites you allow can use"
      size="lg"
      closeTo={closeTo}
      result={result}
      problem={explainFormError(form.errors?.join(" "), false, "Create")}
      hidden={{ updatedAt: editedVersion(fields.updatedAt, widget?.updatedAt) }}
      intent={widget ? "update" : "create"}
      label={widget ? "Save Changes" : "Create Widget"}
    >
      <Field label="Name" {...fieldProps(fields.name)} hint="Visitors see it as the chat's title" required>
        <Input defaultValue={fields.name.initialValue} placeholder="Ask support" autoComplete="off" />
      </Field>
      <Field label="Greeting" {...fieldProps(fields.greeting)} required>
        <Textarea rows={2} defaultValue={fields.greeting.initialValue} />
      </Field>
      <Field
        label="Starter questions"
        {...fieldProps(fields.starters)}
        hint="One per line, at most 6. A visitor asks one by a click"
      >
        <Textarea rows={3} defaultValue={fields.starters.initialValue} />
      </Field>
      <Field
        label="Allowed sites"
        {...fieldProps(fields.origins)}
        hint="One origin per line, such as https://www.example.com. Without any, only the widget's own page opens"
      >
        <Textarea rows={2} defaultValue={fields.origins.initialValue} placeholder="https://www.example.com" />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Persona"
          {...fieldProps(fields.persona)}
          hint="One that everyone in the organization sees"
        >
          <Options field={fields.persona} none="None" options={choices.personas} />
        </Field>
        <Field label="Model" {...fieldProps(fields.model)}>
          <Options field={fields.model} none="The persona's, or that of new chats" options={choices.models} />
        </Field>
        <Field
          label="Documents"
          {...fieldProps(fields.documents)}
          hint="Visitors can be told anything in them. Documents for specific people are never searched"
        >
          <Select defaultValue={fields.documents.initialValue}>
            <option value="none">Search none</option>
            <option value="all">Search all that everyone in the organization sees</option>
            {choices.categories.map(({ id, name }) => (
              <option key={id} value={id}>
                Search the category {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Color" {...fieldProps(fields.color)} hint="Blank for the brand's primary color">
          <Input defaultValue={fields.color.initialValue} placeholder="#1d4ed8" autoComplete="off" />
        </Field>
      </div>
      <fieldset>
        <legend className="mb-1 font-medium text-ink text-sm">Tools</legend>
        <p className="mb-2 text-muted text-xs">
          Only those that read and need no approval. Any visitor can have the model call them.
        </p>
        <ChoiceList
          label="Tools"
          name="tools"
          options={tools}
          chosen={fields.tools.initialValues}
          empty="There are none."
        />
        {fields.tools.errors?.[0] && <FieldError>{fields.tools.errors[0]}</FieldError>}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        {NUMBERS.map(([name, label, hint]) => (
          <Field key={name} label={label} {...fieldProps(fields[name])} hint={hint || undefined}>
            <Input type="number" min={1} inputMode="numeric" defaultValue={fields[name].initialValue} />
          </Field>
        ))}
        <Field label="Last day" {...fieldProps(fields.expiresOn)} hint="Blank for no end">
          <Input type="date" defaultValue={fields.expiresOn.initialValue} />
        </Field>
        {!widget && (
          <>
            <Field
              label="Budget in US dollars"
              {...fieldProps(fields.budget)}
              hint="Changed under Budgets later"
            >
              <Input
                type="number"
                min={0}
                step="any"
                inputMode="decimal"
                defaultValue={fields.budget.initialValue}
              />
            </Field>
            <Field label="Budget per" {...fieldProps(fields.budgetPeriod)}>
              <Select defaultValue={fields.budgetPeriod.initialValue}>
                <option value="day">Day</option>
                <option value="month">Month</option>
              </Select>
            </Field>
          </>
        )}
      </div>
    </FormDialog>
  );
}

/** The line for the site's pages. */
export function EmbedDialog({ snippet, closeTo }: { snippet: string; closeTo: string }) {
  return (
    <Dialog
      title="Embed the Widget"
      description="Paste this line before the end of the page's body, on each page that shall have the chat."
      closeTo={closeTo}
    >
      <Field
        label="Line of script"
        name="snippet"
        hint="A content security policy of that site must allow this console in script-src and frame-src"
      >
        <Textarea
          rows={3}
          readOnly
          value={snippet}
          onFocus={({ currentTarget }) => currentTarget.select()}
          className="font-mono"
        />
      </Field>
    </Dialog>
  );
}
