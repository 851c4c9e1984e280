import type { FieldSpec } from "~/core/field.schema";
import type { RagSettings } from "~/platform/settings/settings.schema";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import type { EmbeddingChoices } from "~/work/index/indexes.schema";
import { EMBEDDING_PROVIDERS, type SettingsChoices, VECTOR_MODES } from "./settings-labels";

interface RagSettingsFieldsProps {
  settings: RagSettings;
  choices: SettingsChoices;
  result: Result;
}

type Fields = Record<string, FieldSpec>;

export function RagSettingsFields({ settings, choices, result }: RagSettingsFieldsProps) {
  const { errors, submitted } = readResult(result);
  const chosen = (name: "embeddingModel" | "rerankModel") =>
    String(submitted?.[name] ?? settings[name] ?? "");
  const main = mainFields(choices.embedding, chosen("embeddingModel"));
  const folded = foldedFields(choices.rerankModels, chosen("rerankModel"));
  return (
    <>
      <FormFields fields={main} values={settings} result={result} />
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

const select = (labels: Readonly<Record<string, string>>): FieldSpec["control"] => ({
  kind: "select",
  options: Object.entries(labels).map(([value, label]) => ({ value, label })),
});

const mainFields = (choices: EmbeddingChoices, model: string): Fields => ({
  ragEnabled: {
    label: "RAG enabled",
    hint: "When off, documents are kept but not searched",
    control: { kind: "switch" },
  },
  ragVectorMode: { label: "Vector store", control: select(VECTOR_MODES) },
  embeddingProvider: {
    label: "Embedding provider",
    hint: providerHint(choices),
    control: select(EMBEDDING_PROVIDERS),
  },
  embeddingModel: { label: "Embedding model", control: select(embeddingModels(choices, model)) },
});

const foldedFields = (rerankModels: readonly string[], model: string): Fields => ({
  chunkTokens: {
    label: "Chunk size",
    hint: "Enter 100 to 1000 tokens",
    control: { kind: "number", min: 100, max: 1000, step: 10, unit: "tokens" },
  },
  chunkOverlap: {
    label: "Overlap",
    hint: "Enter 0 to 200 tokens",
    control: { kind: "number", min: 0, max: 200, step: 5, unit: "tokens" },
  },
  rerankModel: {
    label: "Reranking model",
    hint: "Reorder the best passages of each search. Improves results but adds time and the model's cost.",
    control: select(rerankLabels(rerankModels, model)),
  },
  compareFirst: {
    label: "Compare before switching",
    hint: "Review a new index before search uses it",
    control: { kind: "switch" },
  },
});

/** The provider's location, since saving means consent. */
function providerHint({ destinations }: EmbeddingChoices): string {
  const automatic = "Automatic uses the built-in embedder until an admin agrees to a provider.";
  if (destinations.length === 0) return automatic;
  return `${automatic} Saving a provider sends it every document and every search: ${destinations.join(", ")}`;
}

function embeddingModels({ usual, others }: EmbeddingChoices, chosen: string): Record<string, string> {
  const available = [...usual, ...others];
  const labels = available.map(({ id, callable }) => [id, callable ? id : `${id} (not available)`] as const);
  return { ...missing(chosen, available, "(not available)"), ...Object.fromEntries(labels) };
}

const rerankLabels = (ids: readonly string[], chosen: string) => ({
  "": "None",
  ...missing(
    chosen,
    ids.map((id) => ({ id })),
  ),
  ...Object.fromEntries(ids.map((id) => [id, id])),
});

const missing = (chosen: string, available: readonly { id: string }[], remark = "") =>
  chosen && !available.some(({ id }) => id === chosen) ? { [chosen]: `${chosen} ${remark}`.trim() } : {};

export function RagSettingsFacts({ settings }: { settings: RagSettings }) {
  const facts = [
    ["RAG", settings.ragEnabled ? "On" : "Off"],
    ["Vector store", VECTOR_MODES[settings.ragVectorMode]],
    ["Embedding provider", EMBEDDING_PROVIDERS[settings.embeddingProvider]],
    ["Embedding model", settings.embeddingModel],
    ["Chunks", `${settings.chunkTokens} tokens, ${settings.chunkOverlap} overlap`],
    ["Reranking model", settings.rerankModel ?? "None"],
  ] as const;
  return (
    <dl className="flex flex-col gap-2">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="wrap-anywhere">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
