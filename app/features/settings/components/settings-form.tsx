import { Form, useNavigation } from "@remix-run/react";
import { type ReactNode, useRef } from "react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { useFocusFirstError } from "~/ui/dialog";
import { type FieldSpec, FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { useKeptFocus } from "~/ui/use-kept-focus";

interface SettingsCard {
  title: string;
  fields: Readonly<Record<string, FieldSpec>>;
  values: Readonly<Record<string, unknown>>;
  /** The group's part of each name, in a form of several groups. */
  prefix?: string;
  /** Shown below the fields. */
  extra?: ReactNode;
}

interface SettingsFormProps {
  cards: readonly SettingsCard[];
  /** The versions that the person reads, by the names they are posted under. */
  versions: Readonly<Record<string, number>>;
  /** The button that saves. */
  save: string;
  /** is above a refusal. */
  failed: string;
  result: Result;
  /** Further buttons. */
  actions?: ReactNode;
}

/** Groups of settings as one form, a card for each. */
export function SettingsForm({ cards, versions, save, failed, result, actions }: SettingsFormProps) {
  const navigation = useNavigation();
  const form = useRef<HTMLFormElement>(null);
  const { problem, errors } = readResult(result);
  // What was saved in the meantime is in the fields, unless something was typed and refused.
  const read = JSON.stringify(versions);
  useFocusFirstError(form, result);
  useKeptFocus(form, read);
  const pending = navigation.formData?.get("intent") === "save";
  return (
    <Form ref={form} method="post" preventScrollReset noValidate className="flex flex-col gap-4">
      {Object.keys(errors).length > 0 && (
        <Notice kind="danger" title={failed}>
          {problem ?? "Check the marked fields."}
        </Notice>
      )}
      {Object.entries(versions).map(([name, version]) => (
        <input key={name} type="hidden" name={name} value={version} />
      ))}
      <div key={read} className="lg:columns-2 lg:gap-4">
        {cards.map(({ title, extra, ...fields }) => (
          <Card key={title} title={title} className="mb-4 break-inside-avoid">
            {Object.keys(fields.fields).length === 0 ? (
              <p className="text-muted">Nothing can be changed here yet.</p>
            ) : (
              <FormFields {...fields} result={result} />
            )}
            {extra}
          </Card>
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" name="intent" value="save" pending={pending}>
          {pending ? "Saving..." : save}
        </Button>
        {actions}
      </div>
    </Form>
  );
}
