import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { log } from "~/core/log.server";
import {
  CALL_FEATURES,
  type CallFeature,
  dropTools,
  leaveOut,
  OTHER_EFFORTS,
  refusedFeature,
  refusedTool,
} from "./call-features";
import type { ChatModel, ChatModelCall } from "./language-model";
import {
  findProviderRow,
  insertModelRefusal,
  listModelRefusals,
  type ModelRefusal,
} from "./models.repo.server";
import { settingsById } from "./pricing.service.server";
import { upstreamModel } from "./provider-entry.server";
import { errorChain, findErrorResponse } from "./provider-errors.server";
import type { ProviderFault } from "./provider-fault";
import { shortReason } from "./provider-words";

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

const TOOL = "tool:";

const refusals = cachedByConfig(["models"], (orgId) => {
  const byPlace = new Map<string, ModelRefusal[]>();
  for (const row of listModelRefusals(db(), orgId))
    byPlace.set(keyOf(row), [...(byPlace.get(keyOf(row)) ?? []), row]);
  return byPlace;
});

/** Of what was refused since the provider's list was read, what is at most a day old: not all have a list. */
const recent = (place: Omit<ModelPlace, "provider">): ModelRefusal[] =>
  (refusals(place.orgId).get(keyOf(place)) ?? []).filter(({ createdAt }) => now() - createdAt < DAY);

/** For lists that say nothing: OpenAI's API rejects other temperatures for these models. */
const LACKS_BY_NAME: readonly (readonly [RegExp, readonly CallFeature[]])[] = [
  [/(^|\/)(gpt-[5-9]|o[1-9])/i, ["temperature"]],
];

/** What a provider refused in calls of a model. */
export const refusedBy = (place: Omit<ModelPlace, "provider">): readonly CallFeature[] =>
  recent(place).flatMap(({ feature }) => CALL_FEATURES.find((name) => name === feature) ?? []);

export interface RefusedTool {
  /** On the wire. */
  name: string;
  /** The provider's words. */
  reason: string;
}

/** The tools whose name or schema a provider refused. */
export const refusedTools = (place: Omit<ModelPlace, "provider">): RefusedTool[] =>
  recent(place).flatMap(({ feature, reason }) =>
    feature.startsWith(TOOL) ? [{ name: feature.slice(TOOL.length), reason: reason ?? "" }] : [],
  );

/** What calls of a model leave out: by its provider's list, an admin's settings, its refusals, else by its name. */
export function lacksOf(place: Omit<ModelPlace, "provider">): ReadonlySet<CallFeature> {
  const { orgId, providerId, modelId, requestedModel } = place;
  const listed = upstreamModel(orgId, providerId, modelId)?.lacks;
  const settings = settingsById(orgId).get(requestedModel);
  // Of models that an admin or a hub added, capabilities may be a guess.
  const edited = settings?.source === null ? settings.capabilities : null;
  const named = listed ?? LACKS_BY_NAME.flatMap(([name, lacks]) => (name.test(modelId) ? lacks : []));
  const lacks = new Set([...named, ...refusedBy(place)]);
  if (edited?.includes("function-calling")) lacks.delete("tools");
  else if (edited) lacks.add("tools");
  return lacks;
}

function remember(place: ModelPlace, feature: CallFeature | `tool:${string}`, reason?: string): void {
  const { orgId, providerId, modelId } = place;
  log.info("a model refuses a parameter, which its calls leave out from now on", {
    provider: place.provider,
    model: modelId,
    code: feature,
  });
  const row = { orgId, providerId, modelId, feature, reason: reason ?? null, createdAt: now() };
  try {
    transaction((tx) => {
      // It may have been removed during the request.
      if (findProviderRow(tx, orgId, providerId)) insertModelRefusal(tx, row);
    });
  } catch (error) {
    // The call goes on: the next one is refused again, no more.
    log.warn("a model's refusal was not recorded", { error, model: modelId, code: feature });
  }
}

/** A schema may be what is wrong, and one effort what isn't taken, not the model. */
const isOfOneCall = (feature: CallFeature, { message = "", codes }: ProviderFault) =>
  /^invalid schema/i.test(message) ||
  (feature === "effort" &&
    (OTHER_EFFORTS.test(message) || ["unsupported_value", "literal_error"].some((code) => codes.has(code))));

/** The model takes no tools, and the call has another way without them. */
export class ToolsRefused extends Error {
  constructor() {
    super("The model takes no tools");
    this.name = "ToolsRefused";
  }
}

/** Marks a call that has another way where its tools are refused. */
export const KEEPS_TOOLS = { keepsTools: true };

const keepsTools = ({ providerOptions, tools = [] }: ChatModelCall) =>
  tools.length > 0 && providerOptions?.console?.keepsTools === true;

/** Marks the console's own calls, of whose tools only the refused one is dropped. A program's call fails with the reason. */
export const OWN_TOOLS = { ownTools: true };

const hasOwnTools = ({ providerOptions }: ChatModelCall) => providerOptions?.console?.ownTools === true;

/** Marks a program's call, which fails rather than go without what changes its answer. */
export const KEEPS_SETTINGS = { keepsSettings: true };

const CHANGES_ANSWER: ReadonlySet<CallFeature> = new Set([
  "topK",
  "stop",
  "presencePenalty",
  "frequencyPenalty",
]);

const mustKeep = ({ providerOptions }: ChatModelCall, feature: CallFeature) =>
  providerOptions?.console?.keepsSettings === true && CHANGES_ANSWER.has(feature);

/** Each call may be repeated without these many, one after the other. */
const MAX_REPEATS = 3;

/** A model whose calls leave out what it lacks. A refused parameter is left out once, and remembered. */
export function withoutRefused(model: ChatModel, place: ModelPlace): ChatModel {
  async function repeat<T>(call: ChatModelCall, run: (call: ChatModelCall) => PromiseLike<T>): Promise<T> {
    const lacks = new Set([...lacksOf(place)].filter((feature) => !mustKeep(call, feature)));
    const off = new Set(hasOwnTools(call) ? refusedTools(place).map(({ name }) => name) : []);
    for (let repeats = 0; ; repeats++) {
      if (lacks.has("tools") && keepsTools(call)) throw new ToolsRefused();
      const fitted = leaveOut(dropTools(call, off), lacks);
      try {
        return await run(fitted);
      } catch (error) {
        const response = findErrorResponse(errorChain(error));
        const tool = response && hasOwnTools(call) && refusedTool(response.status, response.fault, fitted);
        if (tool && repeats < MAX_REPEATS) {
          remember(place, `${TOOL}${tool}`, shortReason(response.fault.message));
          off.add(tool);
          continue;
        }
        const refused = response && refusedFeature(response.status, response.fault, fitted);
        if (!refused || mustKeep(call, refused) || lacks.has(refused) || repeats >= MAX_REPEATS) throw error;
        if (!isOfOneCall(refused, response.fault)) remember(place, refused);
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
