import { listModelEndpoints } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
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
import { wakeIndexes } from "./generations/dirty-indexes.server";
import { activeIndex } from "./generations/live-indexes.server";
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
  const price = serves?.inputCost ?? null;
  return {
    ...{ providerId, origin, model, provider, chunks, tokens },
    host: new URL(origin).host,
    local: isLocal(origin),
    // Dollars per thousand, times tokens, are thousandths of a dollar.
    costMicros: price === null ? null : Math.round(price * tokens * 1000),
    postponed: includesDestination(readConsent(orgId).postponed, destination),
  };
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
    if (decision === "compare" && !readSettings(orgId, "rag").compareFirst)
      updateUserSettings(actor, { compareFirst: true });
    agree(tx, actor, [offer]);
  });
  knowledgeChanged({ orgId });
  wakeIndexes();
  return readEmbeddingOffer(actor);
}
