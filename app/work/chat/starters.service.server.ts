import type { Model } from "~/ai/models/models.schema";
import type { Actor } from "~/core/actor";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { may } from "~/platform/rights/authorization.server";
import { newestDocumentName } from "~/work/documents/documents.service.server";
import type { Starter } from "./chat-choices.shared";

export function startersFor(
  actor: Actor,
  { models, model, tools }: { models: readonly Model[]; model: string; tools: readonly string[] },
): Starter[] {
  const starters: Starter[] = [];
  const document = newestDocumentName(actor);
  if (document && tools.includes("qdrant.search")) {
    starters.push({ label: `Ask about ${document}`, prompt: `What does "${document}" say?` });
  }
  if (model !== OFFLINE_MODEL) {
    starters.push({ label: "Ask what it can do", prompt: "What can you do for me, and with which tools?" });
  } else if (tools.includes("kv.set")) {
    starters.push({ label: "Save a value with a tool", prompt: "kv.set greeting hello", tool: "kv.set" });
    starters.push({ label: "Read it back", prompt: "kv.get greeting" });
  }
  if (!document && may(actor, "documents.write")) {
    starters.push({ label: "Add documents to ask about", to: "/rag?dialog=ingest&tab=file" });
  }
  if (models.every(({ id }) => id === OFFLINE_MODEL) && may(actor, "providers.manage")) {
    starters.push({
      label: "Connect a model provider",
      to: "/settings/providers?dialog=add-provider",
    });
  }
  return starters;
}
