import type { ModelKind } from "~/features/models/models.schema";
import { LEXICAL_VERSION } from "./lexical-embedder";

/** Options of an embedding call. */
type EmbedderRoute =
  | { via: "builtin" }
  /** Through the router; narrowed to a type of provider or to one of them where the settings say so. */
  | { via: "router"; kind: ModelKind; providerType?: string; providerId?: string }
  /** A LiteLLM that is known by its key reference alone. */
  | { via: "litellm"; origin: string };

/** What makes vectors of texts. */
export interface Embedder {
  kind: "lexical" | "model";
  /** The model's id under which it is the same with every provider. */
  model: string;
  /** For a person. */
  label: string;
  /** Identifies the vector space: vectors of one model are comparable across providers. */
  key: string;
  route: EmbedderRoute;
}

/** The most numbers a vector may have. */
export const MOST_DIMENSIONS = 4096;

export const BUILTIN: Embedder = {
  kind: "lexical",
  model: "built-in-lexical",
  label: "the built-in lexical embedder",
  key: `lexical/${LEXICAL_VERSION}`,
  route: { via: "builtin" },
};

export function modelEmbedder(model: string, route: EmbedderRoute): Embedder {
  return { kind: "model", model, label: model, key: `model/${model}`, route };
}
