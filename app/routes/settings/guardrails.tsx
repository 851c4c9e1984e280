import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { z } from "zod";
import {
  type GuardrailCount,
  type GuardrailTest,
  GuardrailTestInput,
} from "~/ai/guardrails/guardrails.schema";
import {
  readGuardrailsForm,
  saveGuardrailsForm,
  testGuardrails,
} from "~/ai/guardrails/guardrails.service.server";
import { RULE_LABELS } from "~/ai/guardrails/rules.shared";
import { SettingsForm } from "~/console/settings/components/settings-form";
import { formShape } from "~/http/form.server";
import { intent, screen } from "~/http/screen.server";
import { guardrails } from "~/platform/settings/groups/guardrails.schema";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { formatCount } from "~/ui/format";
import { revalidateOnConflict } from "~/ui/ignore-dialog-params";
import { Field, Textarea } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { pageTitle, SectionHeader } from "~/ui/page-header";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";

export const meta = pageTitle("Guardrails", "Settings");

const GuardrailsForm = z.object({ ...formShape(guardrails.fields), version: SettingsVersion });

const { loader, action } = screen({
  access: "settings.manage",
  load: ({ actor }) => readGuardrailsForm(actor),
  actions: {
    save: intent({
      access: "settings.manage",
      input: GuardrailsForm,
      run: ({ actor, input: { version, ...sent } }) => saveGuardrailsForm(actor, sent, version),
      done: "Guardrails saved",
    }),
    try: intent({
      access: "settings.manage",
      input: GuardrailTestInput,
      run: ({ actor, input }) => testGuardrails(actor, input.text),
      done: (test, { input }) => ({ show: { ...test, text: input.text } }),
    }),
  },
});

export { action, loader, revalidateOnConflict as shouldRevalidate };

/** The cards, by the fields that they show. */
const CARDS: readonly [title: string, names: readonly string[]][] = [
  [
    "Personal data",
    ["maskPii", "maskAnswers", "piiKinds", "presidioAddress", "presidioEntities", "presidioLanguage"],
  ],
  ["Block list", ["blocked"]],
  [
    "Moderation",
    [
      ...["moderator", "moderates", "moderationModel", "moderationAddress", "moderationKeyId"],
      ...["moderationPolicy", "onFailure"],
    ],
  ],
];

export default function GuardrailsScreen() {
  const { fields, settings, version, last30Days } = useLoaderData<typeof loader>();
  const acted = useActionData<typeof action>();
  const isTried = readResult(acted?.result).errors.text !== undefined;
  return (
    <div className="flex flex-col gap-4">
      <SectionHeader
        title="Guardrails"
        subtitle="Every call of a chat model passes these rules, its request and its answer: chat, workflows, personas, comparisons and programs. A token can add to them, never take away."
      />
      <SettingsForm
        cards={CARDS.map(([title, names]) => ({
          title,
          fields: Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name))),
          values: settings,
        }))}
        versions={{ version }}
        save="Save Guardrails"
        failed="Guardrails not saved"
        result={isTried ? undefined : acted?.result}
      />
      <TryCard result={acted?.result} test={acted?.shown} />
      <CountsCard counts={last30Days} />
    </div>
  );
}

function TryCard({ result, test }: { result: Result; test: (GuardrailTest & { text: string }) | undefined }) {
  const navigation = useNavigation();
  const pending = navigation.formData?.get("intent") === "try";
  const { errors, submitted } = readResult(result);
  return (
    <Card id="try" title="Try a text" description="See what a model would receive, by the saved guardrails">
      <Form method="post" preventScrollReset className="flex flex-col gap-3">
        <Field label="Text" name="text" error={errors.text} required>
          <Textarea rows={3} maxLength={20_000} defaultValue={test?.text ?? submittedText(submitted?.text)} />
        </Field>
        <div>
          <Button size="sm" name="intent" value="try" pending={pending}>
            Try
          </Button>
        </div>
      </Form>
      {test && (
        <div role="status" className="mt-3">
          {test.refused !== null ? (
            <Notice kind="warning" title="Refused">
              {test.refused}
            </Notice>
          ) : (
            <Notice kind="success" title="A model would receive">
              <span className="whitespace-pre-wrap wrap-anywhere">{test.sent}</span>
            </Notice>
          )}
        </div>
      )}
    </Card>
  );
}

function CountsCard({ counts }: { counts: GuardrailCount[] }) {
  return (
    <Card
      id="last-30-days"
      title="Last 30 days"
      description="Calls by rule, without their texts"
      actions={
        <LinkButton to="/audit?range=30d&action=guardrail.refused" size="sm">
          Refused calls
        </LinkButton>
      }
    >
      <Table caption="Calls by rule">
        <thead>
          <tr>
            <HeadCell>Rule</HeadCell>
            <HeadCell align="right">Refused</HeadCell>
            <HeadCell align="right">Masked</HeadCell>
          </tr>
        </thead>
        <tbody>
          {counts.map(({ rule, refused, masked }) => (
            <TableRow key={rule}>
              <Cell>{RULE_LABELS[rule]}</Cell>
              <Cell align="right">{formatCount(refused)}</Cell>
              <Cell align="right">{rule === "personal_data" ? formatCount(masked) : "—"}</Cell>
            </TableRow>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}
