import { listModelEndpoints } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { averageTokens } from "./chunks.repo.server";
import type { EmbeddingOffer, NamedDestination, OfferAnswer, OfferDecision } from "./consent/consent.schema";
import {
  agree,
  includesDestination,
  isAgreed,
  isSameDestination,
  postpone,
  readConsent,
} from "./consent/consent.server";
import { embeddingDestinations } from "./consent/destinations.server";
import { activeIndex } from "./generations/live-indexes.server";
import { wakeIndexes } from "./generations/pending-work.server";
import { readTarget } from "./generations/target.server";
import { sumChunkCounts } from "./indexed-documents.repo.server";
import { knowledgeChanged } from "./knowledge-changes.server";

/** Tokens of a chunk's title and headings. */
const OVERHEAD_TOKENS = 10;

const isLocal = (origin: string) => /^(localhost|127\.|\[::1\]$)/.test(new URL(origin).hostname);

function describe(orgId: string, destination: NamedDestination): EmbeddingOffer {
  const { providerId, origin, model, provider } = destination;
  const chunks = sumChunkCounts(db(), orgId);
  const active = activeIndex(orgId);
  const average = active ? averageTokens(db(), active.chunkSetId) : 0;
  const tokens = Math.round(chunks * (average + OVERHEAD_TOKENS));
  const serves = listModelEndpoints(orgId, model, "embedding").find((one) => one.providerId === providerId);
  const local = isLocal(origin);
  // A LiteLLM on this machine may pass them on to one that asks for money.
  const price = serves ? (serves.inputCost ?? (local ? 0 : null)) : null;
  return {
    ...{ providerId, origin, model, provider, chunks, tokens },
    host: new URL(origin).host,
    local,
    // Dollars per thousand, times tokens, are thousandths of a dollar.
    costMicros: price === null ? null : Math.round(price * tokens * 1000),
    postponed: includesDestination(readConsent(orgId).postponed, destination),
  };
}

/** What the embedder in effect would be sent for all chunks; undefined if that stays in the console. */
export function estimateEmbedding(orgId: string): EmbeddingOffer | undefined {
  const { embedder } = readTarget(orgId);
  if (embedder?.kind !== "model") return undefined;
  const destinations = embeddingDestinations(orgId, readSettings(orgId, "rag"));
  const agreed = destinations.filter((one) => one.model === embedder.model && isAgreed(orgId, one));
  return agreed[0] && describe(orgId, agreed[0]);
}

function findOffer(orgId: string): EmbeddingOffer | undefined {
  const settings = readSettings(orgId, "rag");
  if (!settings.ragEnabled || readTarget(orgId).embedder?.kind !== "lexical") return undefined;
  const destination = embeddingDestinations(orgId, settings).find((one) => !isAgreed(orgId, one));
  return destination && describe(orgId, destination);
}

export function readEmbeddingOffer(actor: Actor): OfferAnswer {
  authorise(actor, "settings.manage");
  return { offer: findOffer(actor.orgId) ?? null };
}

/**
 * Records a decision about an offer; with consent an index is built beside the active one.
 * @throws AppError `conflict` if the offer has changed
 */
export function decideOnOffer(actor: Actor, { decision, ...confirmed }: OfferDecision): OfferAnswer {
  authorise(actor, "settings.manage");
  const { orgId } = actor;
  transaction((tx) => {
    const offer = findOffer(orgId);
    if (!offer || !isSameDestination(offer, confirmed)) {
      throw new AppError("conflict", "The offer has changed. Reload the page and review it.");
    }
    if (decision === "postpone") {
      postpone(tx, orgId, confirmed);
      append(tx, actor, {
        action: "embedding.postponed",
        resource: `provider:${offer.providerId}`,
        details: { provider: offer.provider, origin: offer.origin, model: offer.model },
      });
      return;
    }
    agree(tx, actor, [offer]);
  });
  knowledgeChanged({ orgId });
  wakeIndexes();
  return readEmbeddingOffer(actor);
}
