import { env } from "~/core/env.server";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { chosenKeyId, keyOrigins } from "~/team/keys/keys.service.server";
import type { KeyUse } from "~/team/keys/keys.shared";

export function knowledgeKeyUses(orgId: string): KeyUse[] {
  const { ragVectorMode, embeddingProvider, embeddingModel } = readSettings(orgId, "rag");
  const to = "/rag?panel=settings";
  const { QDRANT_URL } = env();
  const uses: KeyUse[] = [];
  if (QDRANT_URL && (ragVectorMode === "qdrant" || ragVectorMode === "qdrant-cloud")) {
    const { origin, host } = new URL(QDRANT_URL);
    const keyId = chosenKeyId(orgId, { kind: "qdrant", origin });
    if (keyId) uses.push({ keyId, kind: "Vector store", name: host, to });
  }
  const [origin] = embeddingProvider === "litellm" ? keyOrigins(orgId, "litellm") : [];
  const keyId = origin && chosenKeyId(orgId, { kind: "litellm", origin });
  if (keyId) uses.push({ keyId, kind: "Embedding model", name: embeddingModel, to });
  return uses;
}
