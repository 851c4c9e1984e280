import type { RagSettings } from "~/features/settings/settings.schema";
import { Checkbox } from "~/ui/choice";
import { Field } from "~/ui/field";
import { Input, Select } from "~/ui/input";
import type { EmbeddingChoice, EmbeddingChoices } from "../../index/indexes.schema";
import type { SettingsChoices } from "./in-effect";
import { EMBEDDING_PROVIDERS, VECTOR_MODES } from "./settings-words";

interface RagSettingsFieldsProps {
  settings: RagSettings;
  choices: SettingsChoices;
  /** What was typed into a form that was refused. */
  sent: Record<string, unknown> | undefined;
  errors: Record<string, string[]>;
}

/** The settings as fields; what is set once in a while is folded away. */
export function RagSettingsFields({ settings, choices, sent, errors }: RagSettingsFieldsProps) {
  const value = (name: keyof RagSettings) => String(sent?.[name] ?? settings[name] ?? "");
  const folded = ["chunkTokens", "chunkOverlap", "rerankModel", "compareFirst"] as const;
  return (
    <>
      <Checkbox
        role="switch"
        name="ragEnabled"
        defaultChecked={sent ? sent.ragEnabled !== undefined : settings.ragEnabled}
        label="RAG enabled"
        hint="When off, documents are kept but not searched"
        className="-my-1.5"
      />
      <Field label="Vector store" name="ragVectorMode" error={errors.ragVectorMode}>
        <Select defaultValue={value("ragVectorMode")}>
          <Options labels={VECTOR_MODES} />
        </Select>
      </Field>
      <Field
        label="Embedding provider"
        name="embeddingProvider"
        error={errors.embeddingProvider}
        hint={providerHint(choices.embedding)}
      >
        <Select defaultValue={value("embeddingProvider")}>
          <Options labels={EMBEDDING_PROVIDERS} />
        </Select>
      </Field>
      <Field label="Embedding model" name="embeddingModel" error={errors.embeddingModel}>
        <Select defaultValue={value("embeddingModel")}>
          <EmbeddingModels choices={choices.embedding} chosen={value("embeddingModel")} />
        </Select>
      </Field>
      <details open={folded.some((name) => errors[name])} className="group">
        <summary className="inline-flex min-h-8 items-center rounded-sm text-primary-ink underline-offset-4 hover:underline pointer-coarse:min-h-11">
          Chunks and reranking
        </summary>
        <div className="mt-3 flex flex-col gap-4">
          <div className="grid grid-cols-2 gap-3">
            <Field
              label="Chunk size"
              name="chunkTokens"
              error={errors.chunkTokens}
              hint="Enter 100 to 1000 tokens"
            >
              <Input type="number" min={100} max={1000} step={10} defaultValue={value("chunkTokens")} />
            </Field>
            <Field
              label="Overlap"
              name="chunkOverlap"
              error={errors.chunkOverlap}
              hint="Enter 0 to 200 tokens"
            >
              <Input type="number" min={0} max={200} step={5} defaultValue={value("chunkOverlap")} />
            </Field>
          </div>
          <Field
            label="Reranking model"
            name="rerankModel"
            error={errors.rerankModel}
            hint="Reorder the best passages of each search. Improves results but adds time and the model's cost."
          >
            <Select defaultValue={value("rerankModel")}>
              <option value="">None</option>
              <Ids ids={choices.rerankModels} chosen={value("rerankModel")} />
            </Select>
          </Field>
          <Checkbox
            name="compareFirst"
            defaultChecked={sent ? sent.compareFirst !== undefined : settings.compareFirst}
            label="Compare before switching"
            hint="A new index isn't used until someone switches to it"
          />
        </div>
      </details>
    </>
  );
}

/** Saving a provider is agreeing to it: the place is said first. */
function providerHint({ places }: EmbeddingChoices): string {
  const automatic = "Automatic uses the built-in embedder until an admin agrees to a provider.";
  if (places.length === 0) return automatic;
  return `${automatic} Saving a provider sends it every document and every search: ${places.join(", ")}`;
}

function Options({ labels }: { labels: Record<string, string> }) {
  return Object.entries(labels).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** The usual three, and what else providers serve. */
function EmbeddingModels({ choices, chosen }: { choices: EmbeddingChoices; chosen: string }) {
  const { usual, others } = choices;
  const known = [...usual, ...others].some(({ id }) => id === chosen);
  const option = ({ id, callable }: EmbeddingChoice) => (
    <option key={id} value={id}>
      {callable ? id : `${id} (not available)`}
    </option>
  );
  return (
    <>
      {chosen && !known && option({ id: chosen, callable: false, providers: [] })}
      {usual.map(option)}
      {others.map(option)}
    </>
  );
}

/** Models by their ids; the chosen one stays also where no one serves it any more. */
function Ids({ ids, chosen }: { ids: readonly string[]; chosen: string }) {
  const all = chosen && !ids.includes(chosen) ? [chosen, ...ids] : ids;
  return all.map((id) => <option key={id}>{id}</option>);
}

/** The settings for users who may only read them. */
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
