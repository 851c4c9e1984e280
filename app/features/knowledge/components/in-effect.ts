import type { IndexBuildView } from "./index-build";

/** What is in effect, whatever the settings ask for. */
export interface InEffect {
  /** Where vectors are searched; null for keywords only. */
  store: string | null;
  /** What makes vectors; null for keywords only. */
  embedder: string | null;
  /** What a person should know, such as that Qdrant isn't configured. */
  notices: readonly string[];
  /** The index that is being built, or that waits to be switched to. */
  build: IndexBuildView | null;
}

/** What the dropdowns offer. */
export interface SettingsChoices {
  /** Ids of embedding models: the specification's three, then what providers serve. */
  embeddingModels: readonly string[];
  /** Ids of models that can put results in order. */
  rerankModels: readonly string[];
}
