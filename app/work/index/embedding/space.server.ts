import { AppError } from "~/core/errors";
import type { SpaceRow } from "../embeddings.repo.server";
import { chooseEmbedder } from "./choose-embedder.server";
import { BUILTIN, type Embedder, modelEmbedder } from "./embedder";

/** @throws AppError `unavailable` for the built-in embedder of another version */
export function embedderOf({ orgId, key, kind, model }: SpaceRow): Embedder {
  const { embedder } = chooseEmbedder(orgId);
  if (embedder?.key === key) return embedder;
  if (kind === "model") return modelEmbedder(model, { via: "router", kind: "embedding" });
  if (key === BUILTIN.key) return BUILTIN;
  throw new AppError(
    "unavailable",
    "The index was built by another version of the built-in embedder and is being rebuilt.",
  );
}

export function labelOf({ kind, model }: Pick<SpaceRow, "kind" | "model">): string {
  return kind === "lexical" ? BUILTIN.label : model;
}
