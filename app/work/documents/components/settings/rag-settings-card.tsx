import { Form, useNavigation } from "@remix-run/react";
import { useRef } from "react";
import type { FieldSpec } from "~/core/field.schema";
import type { RagSettings } from "~/platform/settings/settings.schema";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { cx } from "~/ui/class-names";
import { useFocusFirstError } from "~/ui/dialog";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { GuardedForms } from "~/ui/guarded-forms";
import { Notice } from "~/ui/notice";
import { useRestoredFocus } from "~/ui/use-restored-focus";
import { useShownValues } from "~/ui/use-shown-values";
import type { EmbeddingOffer } from "~/work/index/consent/consent.schema";
import type { RagStatus } from "~/work/index/indexes.schema";
import { EmbeddingOfferCard } from "./embedding-offer";
import { NextIndex } from "./next-index";
import { nextIndex, STORES } from "./settings-hints";

interface RagSettingsCardProps {
  /** Address of the dialog that rebuilds the index; undefined if that can't be done now. */
  rebuildTo: string | undefined;
  settings: RagSettings;
  version: number;
  status: RagStatus;
  fields: Readonly<Record<string, FieldSpec>>;
  offer: EmbeddingOffer | null;
  refusal: string | undefined;
  result: Result;
}

export function RagSettingsCard({
  status,
  fields,
  offer,
  refusal,
  result,
  rebuildTo,
  ...loaded
}: RagSettingsCardProps) {
  const navigation = useNavigation();
  const next = nextIndex(status);
  const intent = navigation.formData?.get("intent");
  const { errors, formError } = readResult(result);
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  const { shown, onInput } = useShownValues(loaded, "save-settings", result);
  const { settings } = shown;
  const sending = intent === "save-settings";
  const saved = JSON.stringify(settings);
  useRestoredFocus(form, saved);
  return (
    <GuardedForms>
      <Card id="rag-embedding-settings" title="RAG & Embedding Settings" description={refusal}>
        <div className="flex flex-col gap-4">
          {!settings.ragEnabled && (
            <Notice kind="warning">RAG is off: documents are kept but not searched.</Notice>
          )}
          <InEffect status={status} />
          {offer && <EmbeddingOfferCard offer={offer} />}
          {rebuildTo && !next && (
            <LinkButton to={rebuildTo} preventScrollReset className="self-start">
              Rebuild Index
            </LinkButton>
          )}
          {next && <NextIndex index={next} mayManage={refusal === undefined} />}
          {refusal ? (
            <RagSettingsFacts fields={fields} settings={settings} />
          ) : (
            <Form
              ref={form}
              method="post"
              preventScrollReset
              noValidate
              aria-label="RAG & Embedding Settings"
              onInput={onInput}
              className="flex flex-col gap-4"
            >
              <input type="hidden" name="version" value={errors.version ? loaded.version : shown.version} />
              {formError && (
                <Notice kind="danger" title="Settings not saved">
                  {formError}
                </Notice>
              )}
              <RagSettingsFields key={saved} fields={fields} settings={settings} result={result} />
              <Button
                variant="primary"
                name="intent"
                value="save-settings"
                pending={sending}
                className="self-start"
              >
                Save Settings
              </Button>
            </Form>
          )}
        </div>
      </Card>
    </GuardedForms>
  );
}

function InEffect({ status }: { status: RagStatus }) {
  const { store, storeHint, embedder, next, notices, chunkNotice } = status;
  return (
    <div className="flex flex-col gap-2">
      <dl
        aria-label="In effect"
        className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-md bg-sunken px-3 py-2.5"
      >
        <dt className="text-muted">Vector store</dt>
        <dd className="wrap-anywhere">
          {STORES[store]}
          {next && next.store !== store && `; ${afterRebuild(next.store !== "none" && STORES[next.store])}`}
        </dd>
        <dt className="text-muted">Embedding model</dt>
        {/* Model names keep their vendor's capitalization. */}
        <dd className={cx("wrap-anywhere", embedder?.kind === "lexical" && "first-letter:uppercase")}>
          {embedder?.label ?? STORES.none}
          {next && next.embedder?.label !== embedder?.label && `; ${afterRebuild(next.embedder?.label)}`}
        </dd>
      </dl>
      {storeHint && <p className="text-muted text-xs">{storeHint}</p>}
      {chunkNotice && <p className="text-muted text-xs">{chunkNotice}</p>}
      {notices.map((notice) => (
        <Notice key={notice} kind="warning">
          {notice}
        </Notice>
      ))}
    </div>
  );
}

const afterRebuild = (name: string | false | undefined) => `${name || "keywords only"} after the rebuild`;

interface RagSettingsFieldsProps {
  fields: Readonly<Record<string, FieldSpec>>;
  settings: RagSettings;
  result: Result;
}

/** Fields that aren't folded. */
const MAIN = new Set(["ragEnabled", "ragVectorMode", "embeddingProvider", "embeddingModel"]);

function RagSettingsFields({ fields, settings, result }: RagSettingsFieldsProps) {
  const { errors } = readResult(result);
  const pick = (isMain: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => MAIN.has(name) === isMain));
  const folded = pick(false);
  return (
    <>
      <FormFields fields={pick(true)} values={settings} result={result} />
      <details open={Object.keys(folded).some((name) => errors[name])} className="group">
        <summary className="disclosure w-fit rounded-sm py-1.5 text-muted hover:text-ink pointer-coarse:py-3">
          Chunks and reranking
        </summary>
        <div className="mt-3">
          <FormFields fields={folded} values={settings} result={result} />
        </div>
      </details>
    </>
  );
}

/** For members who may not change them. */
function RagSettingsFacts({ fields, settings }: Omit<RagSettingsFieldsProps, "result">) {
  const values: Readonly<Record<string, unknown>> = { ...settings };
  return (
    <dl className="flex flex-col gap-2">
      {Object.entries(fields).map(([name, { label, control }]) => (
        <div key={name}>
          <dt className="text-muted text-xs">{label}</dt>
          <dd className="wrap-anywhere">{shownValue(control, values[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

function shownValue(control: FieldSpec["control"], value: unknown): string {
  if (control.kind === "switch") return value ? "On" : "Off";
  const text = String(value ?? "");
  const option = control.kind === "select" ? control.options.find((one) => one.value === text) : undefined;
  return option?.label ?? (control.kind === "number" && control.unit ? `${text} ${control.unit}` : text);
}
