import { Form, useNavigation } from "@remix-run/react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { FieldSpec } from "~/core/field.schema";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { cx } from "~/ui/class-names";
import { useFocusFirstError } from "~/ui/dialog";
import { FoldingCard } from "~/ui/folding-card";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { fieldsIn, isTyped } from "~/ui/typed-fields";
import { useRestoredFocus } from "~/ui/use-restored-focus";
import { cardId } from "../settings-tabs.shared";

interface SettingsCard {
  title: string;
  fields: Readonly<Record<string, FieldSpec>>;
  values: Readonly<Record<string, unknown>>;
  /** Prefix of field names with several groups. */
  prefix?: string;
  extra?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  /** Beside the others, in a column of its own. */
  isTall?: boolean;
  /** Closed at first, but for a wrong field; `false` is open, and without it the card doesn't fold. */
  isFolded?: boolean;
}

interface SettingsFormProps {
  cards: readonly SettingsCard[];
  /** By posted name. */
  versions: Readonly<Record<string, number>>;
  save: string;
  failed: string;
  result: Result;
  actions?: ReactNode;
}

type Versions = SettingsFormProps["versions"];

interface DrawnFrom {
  form: RefObject<HTMLFormElement>;
  versions: Versions;
  refused: boolean;
  pending: boolean;
}

/**
 * Keeps fields with unsaved text when newer settings have loaded: after a save during which more was typed, and when somebody
 * else saved, whose version the next save mustn't replace unseen.
 * @returns the versions whose values are drawn, as a key, and those that the next save replaces
 */
function useDrawnVersions({ form, versions, refused, pending }: DrawnFrom) {
  const read = JSON.stringify(versions);
  const [drawn, setDrawn] = useState(read);
  const [replaced, setReplaced] = useState(versions);
  const wasPending = useRef(pending);
  const isSaved = wasPending.current && !pending;
  useEffect(() => {
    wasPending.current = pending;
  }, [pending]);
  const isEdited = form.current !== null && fieldsIn(form.current).some(isTyped);
  if (!refused && drawn !== read && !isEdited) setDrawn(read);
  if (!refused && JSON.stringify(replaced) !== read && (isSaved || !isEdited)) setReplaced(versions);
  return { drawn, replaced };
}

export function SettingsForm({ cards, versions, save, failed, result, actions }: SettingsFormProps) {
  const navigation = useNavigation();
  const form = useRef<HTMLFormElement>(null);
  const { formError, errors } = readResult(result);
  const refused = Object.keys(errors).length > 0;
  const pending = navigation.formData?.get("intent") === "save";
  const { drawn, replaced } = useDrawnVersions({ form, versions, refused, pending });
  useFocusFirstError(form, result);
  useRestoredFocus(form, drawn);
  const isSingle = cards.length === 1;
  const hasTall = cards.some(({ isTall }) => isTall);
  const folds = cards.some(({ isFolded }) => isFolded !== undefined);
  const buttons = (
    <div className="flex flex-wrap gap-2">
      <Button variant="primary" name="intent" value="save" pending={pending}>
        {pending ? "Saving..." : save}
      </Button>
      {actions}
    </div>
  );
  return (
    <Form ref={form} method="post" preventScrollReset noValidate className="flex flex-col gap-4">
      {refused && (
        <Notice kind="danger" title={failed}>
          {formError ?? "Check the marked fields."}
        </Notice>
      )}
      {Object.entries(refused ? versions : replaced).map(([name, version]) => (
        <input key={name} type="hidden" name={name} value={version} />
      ))}
      <div
        key={drawn}
        className={cx(
          hasTall && "lg:grid lg:grid-cols-2 lg:grid-rows-[auto_1fr] lg:items-start lg:gap-x-4",
          folds && "flex flex-col gap-3",
          !isSingle && !hasTall && !folds && "lg:columns-2 lg:gap-4",
        )}
      >
        {cards.map(({ title, extra, actions: own, isTall, isFolded, ...fields }) =>
          isFolded === undefined ? (
            <Card
              key={title}
              id={cardId(title)}
              title={title}
              actions={own}
              className={cx(
                !isSingle && "mb-4 break-inside-avoid",
                isTall && "lg:col-start-2 lg:row-span-2 lg:row-start-1",
              )}
            >
              {Object.keys(fields.fields).length === 0 ? (
                <p className="text-muted">Nothing can be changed here yet.</p>
              ) : (
                <FormFields {...fields} result={result} columns={isSingle} />
              )}
              {extra}
              {isSingle && <div className="mt-4">{buttons}</div>}
            </Card>
          ) : (
            <FoldingCard
              key={title}
              id={cardId(title)}
              title={title}
              summary={Object.values(fields.fields)
                .map(({ label }) => label)
                .join(", ")}
              isOpen={!isFolded || Object.keys(errors).some((name) => name.startsWith(`${fields.prefix}.`))}
            >
              <FormFields {...fields} result={result} columns />
              {extra}
            </FoldingCard>
          ),
        )}
      </div>
      {!isSingle && buttons}
    </Form>
  );
}
