import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { authorise } from "~/features/members/authorisation.server";
import { callableModels } from "./callable-models.server";
import { CatalogueQuery, ManagedQuery } from "./catalogue.schema";
import { listCatalogue } from "./catalogue.service.server";
import { listManagedModels } from "./managed-models.service.server";
import { isRecommended } from "./model-facts.server";
import { readModelSettings } from "./model-settings.service.server";
import type { ActiveModel, EditedModel } from "./model-views.schema";
import { listModels } from "./models.service.server";
import { canonicalId } from "./serving.server";

/** Everything that can be called now, the built-in model last. */
export function listActiveModels(actor: Actor): ActiveModel[] {
  authorise(actor, "providers.manage");
  const models = callableModels(actor.orgId).map(({ serving, price, ...model }): ActiveModel => {
    const { id, name, maxTokens, cost, capabilities, recommended, enhanced, providers, kind, hidden } = model;
    const facts = { id, name, maxTokens, cost, capabilities, recommended, enhanced, providers, kind, hidden };
    return {
      ...facts,
      first: serving.row.displayName,
      overridden: price?.source === "admin",
    };
  });
  const builtIn = listModels(actor).filter((model) => model.providerId === null);
  return [
    ...models,
    ...builtIn.map((model) => ({
      ...model,
      kind: "chat" as const,
      first: null,
      hidden: false,
      overridden: false,
    })),
  ];
}

/**
 * A model that is to be edited: one that can be called, was discovered or added, or is in the catalogue.
 * @throws AppError `not_found` where no one knows it
 */
export function readEditedModel(actor: Actor, id: string): EditedModel {
  authorise(actor, "providers.manage");
  const lists = [
    () => listActiveModels(actor),
    () => listManagedModels(actor, ManagedQuery.parse({})),
    () => listCatalogue(actor, CatalogueQuery.parse({})),
  ];
  for (const list of lists) {
    const found = list().find((model) => model.id === id);
    if (!found) continue;
    const { name, maxTokens, cost, capabilities, recommended } = found;
    return {
      shown: { id, name, maxTokens, cost, capabilities, recommended },
      settings: readModelSettings(actor, id),
      listedRecommended: isRecommended(canonicalId(id)),
    };
  }
  throw new AppError("not_found", "Model not found. It may have been removed.");
}
