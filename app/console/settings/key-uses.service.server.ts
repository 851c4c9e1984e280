import { guardrailKeyUses } from "~/ai/guardrails/guardrails.service.server";
import { providerKeyUses } from "~/ai/models/providers.service.server";
import { streamKeyUses } from "~/console/audit/stream/stream.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { listKeys, removeKey } from "~/team/keys/keys.service.server";
import { describeUses, type KeyUse } from "~/team/keys/keys.shared";
import { notificationKeyUses } from "~/team/notifications/delivery.service.server";
import { sourceKeyUses } from "~/work/documents/sources/sources.service.server";
import { recognitionKeyUses } from "~/work/extraction/recognition/reading-server.service.server";
import { knowledgeKeyUses } from "~/work/index/rag-settings.service.server";
import { pluginKeyUses } from "~/work/plugins/plugins.service.server";
import { workflowKeyUses } from "~/work/workflows/references.service.server";

/** Sources of key uses: a line per feature. */
const SOURCES: readonly ((orgId: string) => KeyUse[])[] = [
  providerKeyUses,
  guardrailKeyUses,
  knowledgeKeyUses,
  recognitionKeyUses,
  sourceKeyUses,
  workflowKeyUses,
  pluginKeyUses,
  notificationKeyUses,
  streamKeyUses,
];

export function listKeyUses(actor: Actor): KeyUse[] {
  authorise(actor, "keys.manage");
  return SOURCES.flatMap((source) => source(actor.orgId));
}

/** Removes a key reference; one in use only if confirmed. @throws AppError `conflict` with its uses; as `removeKey` */
export function removeKeyInUse(actor: Actor, id: string, { confirmed }: { confirmed: boolean }): void {
  authorise(actor, "keys.manage");
  const uses = listKeyUses(actor).filter(({ keyId }) => keyId === id);
  const alias = listKeys(actor).find((key) => key.id === id)?.alias;
  if (uses.length > 0 && alias && !confirmed)
    throw new AppError(
      "conflict",
      `${alias} is in use: ${describeUses(uses)}. Choose another key there, or confirm the removal.`,
    );
  removeKey(actor, id);
}
