import type { Actor } from "~/core/actor";
import { may } from "~/platform/rights/authorization.server";
import type { ModelChoice } from "~/platform/settings/settings.schema";
import { readSetting, updateSettings } from "~/platform/settings/settings.service.server";
import { chosenModels } from "~/team/members/preferences.service.server";
import { ABILITY_LABELS, type Ability, type ModelFacts, type PickerFacts } from "./model-facts.shared";
import type { Model, ModelKind } from "./models.schema";
import { allowedModels, availableModels, listModels, type RouteTarget } from "./models.service.server";

const isAbility = (capability: string): capability is Ability => Object.hasOwn(ABILITY_LABELS, capability);

function factsOf({ id, cost, capabilities, recommended }: Model, context: number | undefined): ModelFacts {
  const { input, output } = cost;
  return {
    id,
    abilities: capabilities.filter(isAbility),
    // A cost is per 1,000 tokens.
    ...(input !== null && output !== null && { price: { input: input * 1000, output: output * 1000 } }),
    ...(context !== undefined && { context }),
    ...(recommended && { recommended }),
  };
}

/** What pickers say of the models that they offer, and which of them are defaults. */
export function readPickerFacts(actor: Actor): PickerFacts {
  const contexts = new Map(availableModels(actor.orgId).map(({ id, contextLength }) => [id, contextLength]));
  const { session, preferred } = chosenModels(actor);
  return {
    models: listModels(actor).map((model) => factsOf(model, contexts.get(model.id))),
    own: session ?? preferred,
    everyone: readSetting(actor.orgId, "routing.defaultModel") || null,
    mayChooseForEveryone: may(actor, "providers.manage"),
  };
}

/** Sets the default model of those who chose none. @throws AppError as `updateSettings` */
export function chooseModelForEveryone(actor: Actor, { model }: ModelChoice): void {
  updateSettings(actor, "routing", { defaultModel: model });
}

/** Models of a kind beside chat that a person may choose, of providers with such a call. */
export function listModelsOfKind(actor: Actor, kind: ModelKind, wire: keyof RouteTarget["wire"]): string[] {
  const isAllowed = allowedModels(actor);
  return availableModels(actor.orgId)
    .filter((one) => one.kind === kind && !one.hidden && isAllowed(one.id))
    .filter(({ provider: { type, config } }) => (type.wireFor?.(config) ?? type.wire)[wire])
    .map(({ id }) => id);
}
