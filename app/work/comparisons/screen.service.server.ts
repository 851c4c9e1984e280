import type { z } from "zod";
import { listModels, newChatModel, offerModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { may, refusal } from "~/platform/rights/authorization.server";
import type { ComparisonSummary, ComparisonsQuery } from "./comparisons.schema";
import { listComparisons, readComparison } from "./comparisons.service.server";
import { COLUMNS } from "./position.shared";

const PAGE_SIZE = 12;

interface Offer {
  models: { id: string; name: string; provider: string }[];
  defaults: { prompt: string; models: string[] };
  mayAddProviders: boolean;
}

function offerOf(actor: Actor, from: string | undefined): Offer {
  const models = listModels(actor);
  const first = newChatModel(actor, models);
  const others = models.filter(({ id }) => id !== first && id !== OFFLINE_MODEL);
  // A model of another provider makes a better comparison.
  const provider = models.find(({ id }) => id === first)?.providerId;
  const second = others.find((model) => model.providerId !== provider) ?? others[0];
  const earlier = from === undefined ? undefined : readComparison(actor, from);
  return {
    models: offerModels(actor),
    defaults: earlier
      ? { prompt: earlier.prompt, models: earlier.answers.map(({ model }) => model) }
      : { prompt: "", models: [first, ...(second ? [second.id] : [])].slice(0, COLUMNS.min) },
    mayAddProviders: may(actor, "providers.manage"),
  };
}

export interface ComparisonsScreen {
  comparisons: ComparisonSummary[];
  next?: string;
  refusal: string | undefined;
  offer: Offer;
}

export function readComparisonsScreen(
  actor: Actor,
  { cursor, from }: z.infer<typeof ComparisonsQuery>,
): ComparisonsScreen {
  if (!may(actor, "chat.use")) {
    const nothing = { models: [], defaults: { prompt: "", models: [] }, mayAddProviders: false };
    return { comparisons: [], refusal: refusal("chat.use"), offer: nothing };
  }
  return {
    ...listComparisons(actor, { limit: PAGE_SIZE, cursor }),
    refusal: undefined,
    offer: offerOf(actor, from),
  };
}

export function modelNames(actor: Actor): Record<string, string> {
  return Object.fromEntries(listModels(actor).map(({ id, name }) => [id, name]));
}
