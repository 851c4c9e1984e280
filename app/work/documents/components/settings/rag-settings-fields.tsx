import type { FieldSpec } from "~/core/field.schema";
import type { RagSettings } from "~/platform/settings/settings.schema";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";

interface RagSettingsFieldsProps {
  fields: Readonly<Record<string, FieldSpec>>;
  settings: RagSettings;
  result: Result;
}

/** Fields that aren't folded. */
const MAIN = new Set(["ragEnabled", "ragVectorMode", "embeddingProvider", "embeddingModel"]);

export function RagSettingsFields({ fields, settings, result }: RagSettingsFieldsProps) {
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
export function RagSettingsFacts({ fields, settings }: Omit<RagSettingsFieldsProps, "result">) {
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
