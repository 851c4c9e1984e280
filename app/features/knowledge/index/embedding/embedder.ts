import type { ModelKind } from "~/features/models/models.schema";
import { LEXICAL_VERSION } from "./lexical-embedder";

type EmbedderRoute =
  | { via: "builtin" }
  /** Through the router, optionally restricted to a provider or provider type. */
  | { via: "router"; kind: ModelKind; providerType?: string; providerId?: string }
  /** A LiteLLM that is only a key reference. */
  | { via: "litellm"; origin: string };

export interface Embedder {
  kind: "lexical" | "model";
  /** The model id shared by all providers. */
  model: string;
  label: string;
  key: string;
  route: EmbedderRoute;
}

/** Maximum vector length. */
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
