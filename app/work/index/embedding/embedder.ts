import type { ModelKind } from "~/ai/models/models.schema";
import { LEXICAL_VERSION } from "./lexical-embedder";

type EmbedderRoute =
  | { via: "builtin" }
  | { via: "router"; kind: ModelKind; providerType?: string; providerId?: string }
  | { via: "litellm"; origin: string };

export interface Embedder {
  kind: "lexical" | "model";
  /** The model id shared by all providers. */
  model: string;
  label: string;
  key: string;
  route: EmbedderRoute;
}

export const MAX_DIMENSIONS = 4096;

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
