import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { CALL_FEATURES, type CallFeature, leaveOut, refusedFeature } from "./call-features";
import type { ChatModel, ChatModelCall } from "./language-model";
import { findProviderRow, insertModelRefusal, listModelRefusals } from "./models.repo.server";
import { settingsById } from "./pricing.service.server";
import { upstreamModel } from "./provider-entry.server";
import { errorChain, findErrorResponse } from "./provider-errors.server";

/** A model at one provider. */
export interface ModelPlace {
  orgId: string;
  providerId: string;
  provider: string;
  /** The provider's own id. */
  modelId: string;
  /** The id it is shown under. */
  requestedModel: string;
}

const keyOf = ({ providerId, modelId }: Pick<ModelPlace, "providerId" | "modelId">) =>
  `${providerId} ${modelId}`;

const refusals = cachedByConfig(["models"], (orgId) => {
  const byPlace = new Map<string, CallFeature[]>();
  for (const row of listModelRefusals(db(), orgId)) {
    const feature = CALL_FEATURES.find((name) => name === row.feature);
    if (feature) byPlace.set(keyOf(row), [...(byPlace.get(keyOf(row)) ?? []), feature]);
  }
  return byPlace;
});

/** For lists that say nothing: OpenAI's API rejects other temperatures for these models. */
const BY_NAME: readonly (readonly [RegExp, readonly CallFeature[]])[] = [
  [/(^|\/)(gpt-[5-9]|o[1-9])/i, ["temperature"]],
];

/** What a provider refused in calls of a model since its list was read. */
export const refusedBy = (place: Omit<ModelPlace, "provider">): readonly CallFeature[] =>
  refusals(place.orgId).get(keyOf(place)) ?? [];

/** What calls of a model leave out: by its provider's list, an admin's settings, its refusals, else by its name. */
export function lacksOf(place: Omit<ModelPlace, "provider">): ReadonlySet<CallFeature> {
  const { orgId, providerId, modelId, requestedModel } = place;
  const listed = upstreamModel(orgId, providerId, modelId)?.lacks;
  const settings = settingsById(orgId).get(requestedModel);
  // Of models that an admin or a hub added, capabilities may be a guess.
  const edited = settings?.source === null ? settings.capabilities : null;
  const named = listed ?? BY_NAME.flatMap(([name, lacks]) => (name.test(modelId) ? lacks : []));
  const lacks = new Set([...named, ...refusedBy(place)]);
  if (edited?.includes("function-calling")) lacks.delete("tools");
  else if (edited) lacks.add("tools");
  return lacks;
}

function remember(place: ModelPlace, feature: CallFeature): void {
  const { orgId, providerId, modelId } = place;
  log.info("a model refuses a parameter, which its calls leave out from now on", {
    provider: place.provider,
    model: modelId,
    code: feature,
  });
  transaction((tx) => {
    // It may have been removed during the request.
    if (findProviderRow(tx, orgId, providerId))
      insertModelRefusal(tx, { orgId, providerId, modelId, feature, createdAt: now() });
  });
}

/** A schema may be what is wrong, not the model. */
const isOfOneCall = (message: string | undefined) => /^invalid schema/i.test(message ?? "");

/** Marks a call that has another way where its tools are refused. */
export const KEEPS_TOOLS = { console: { keepsTools: true } };

const keepsTools = ({ providerOptions, tools = [] }: ChatModelCall) =>
  tools.length > 0 && providerOptions?.console?.keepsTools === true;

/** Each call may be repeated without these many, one after the other. */
const MAX_REPEATS = 3;

/** A model whose calls leave out what it lacks. A refused parameter is left out once, and remembered. */
export function withoutRefused(model: ChatModel, place: ModelPlace): ChatModel {
  async function repeat<T>(call: ChatModelCall, run: (call: ChatModelCall) => PromiseLike<T>): Promise<T> {
    const lacks = new Set(lacksOf(place));
    for (let repeats = 0; ; repeats++) {
      if (lacks.has("tools") && keepsTools(call))
        throw new AppError("invalid", `"${place.modelId}" at ${place.provider} doesn't take tools.`);
      const fitted = leaveOut(call, lacks);
      try {
        return await run(fitted);
      } catch (error) {
        const response = findErrorResponse(errorChain(error));
        const refused = response && refusedFeature(response.status, response.fault, fitted);
        if (!refused || lacks.has(refused) || repeats >= MAX_REPEATS) throw error;
        if (!isOfOneCall(response.fault.message)) remember(place, refused);
        lacks.add(refused);
      }
    }
  }
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => repeat(call, (fitted) => model.doGenerate(fitted)),
    doStream: (call) => repeat(call, (fitted) => model.doStream(fitted)),
  };
}
