import { MINUTE } from "~/core/durations";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { readSetting } from "~/platform/settings/settings.service.server";
import { thinkingRoom } from "../effort";
import { answerNothing, ignoredSettings } from "../ignored-settings.server";
import type { ChatModel, ChatModelCall } from "../language-model";
import type { Effort } from "../model-picker.shared";
import { withoutRefused } from "../model-refusals.server";
import { callProvider, type ProviderResponse } from "../provider-client.service.server";
import { baseUrlOf, callFor, keyOf, sendFor, silenceOf } from "../provider-entry.server";
import { ProviderHttpError } from "../provider-errors.server";
import { offline } from "../providers/offline.provider.server";
import type { ProviderType } from "../providers/provider-type.server";
import { withOwnSteps, writerName } from "../step-state";
import { type Candidate, placeOf } from "./candidates.server";

interface TargetRequest {
  body: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export interface RouteTarget {
  providerId: string | null;
  providerType: string;
  displayName: string;
  /** Origin that receives texts; null for the built-in model. */
  origin: string | null;
  modelId: string;
  /** Requested id; a fallback's own. */
  requestedModel: string;
  /** The price list; null if unknown. */
  pricing: string | null;
  /** Who understands a step's state: the model, at this provider or at all with signatures of its kind. */
  writtenBy: string;
  wire: ProviderType["wire"];
  /** Cuts off what goes beyond a model's context, without an error. */
  cutsPrompts: boolean;
  /** A call for which the provider searches the web itself; undefined if it can't. */
  searchingWeb?: ReturnType<NonNullable<ProviderType["searchingWeb"]>>;
  /** Tokens of the output limit for the thoughts of a model that reasons. */
  thinkingRoom(effort: Effort | undefined): number;
  /** How long a stream may keep silent. */
  silence(): ReturnType<typeof silenceOf>;
  /**
   * Sends a request in the provider's protocol once, with its key and timeouts.
   * @throws ProviderHttpError for errors, and as `resilientFetch`
   */
  send(path: string, request: TargetRequest, mode?: ResponseMode): Promise<Response>;
  /** As `send`, for a passthrough. @throws as `callProvider` */
  forward(path: string, request: TargetRequest, mode: ResponseMode): Promise<ProviderResponse>;
  /** The adapter, loaded and created on demand. Its texts may hold lone surrogates (`wellFormedModel`). */
  languageModel(mode?: ResponseMode): Promise<ChatModel>;
  /** Names of a call's settings that the adapter would leave out or change. Nothing is sent. */
  ignoredSettings(call: ChatModelCall): Promise<string[]>;
}

export type ResponseMode = "streaming" | "non-streaming";

/** Share of the timeout for a non-streaming response, which begins when it is complete: by default 10 minutes. */
const NON_STREAMING_FACTOR = 20;

/** Time limit of a non-streaming response, in ms. */
export const nonStreamingTimeout = (orgId: string): number =>
  readSetting(orgId, "ai.timeout") * NON_STREAMING_FACTOR;

function timeoutsFor(candidate: Candidate, mode: ResponseMode) {
  const silence = silenceOf(candidate);
  if (mode === "streaming") return silence;
  const firstByteMs = Math.max(nonStreamingTimeout(candidate.row.orgId), silence.firstByteMs);
  return { ...silence, firstByteMs };
}

/** Reads key and limits per request, so that clients can be cached. */
function fetchFor(candidate: Candidate, mode: ResponseMode): typeof fetch {
  return async (input, init) => {
    // The router retries: it knows other providers.
    const call = callFor(candidate, { ...timeoutsFor(candidate, mode), retries: 0 });
    const headers = new Headers(init?.headers);
    const address = input instanceof Request ? input.url : String(input);
    for (const [name, value] of Object.entries(candidate.type.headers(call.apiKey, address)))
      headers.set(name, value);
    return call.fetch(input, { ...init, headers });
  };
}

function makeTarget(candidate: Candidate): RouteTarget {
  const { row, type, config, modelId, requestedModel, pricing } = candidate;
  const baseUrl = baseUrlOf(candidate);
  const writtenBy = writerName(type.portableState ? type.value : row.id, modelId);
  const place = placeOf(candidate);
  const fetches = {
    streaming: fetchFor(candidate, "streaming"),
    "non-streaming": fetchFor(candidate, "non-streaming"),
  };
  const models: Partial<Record<ResponseMode, Promise<ChatModel>>> = {};
  let silent: ChatModel | undefined;
  return {
    providerId: row.id,
    providerType: type.value,
    displayName: row.displayName,
    origin: new URL(baseUrl).origin,
    modelId,
    requestedModel,
    pricing,
    writtenBy,
    wire: type.wireFor?.(config) ?? type.wire,
    cutsPrompts: type.cutsPrompts ?? false,
    searchingWeb: type.searchingWeb?.(config),
    thinkingRoom: (effort) => type.thinkingRoom?.(effort, modelId) ?? thinkingRoom(effort),
    silence: () => silenceOf(candidate),
    async send(path, { body, headers, signal }, mode = "streaming") {
      const response = await fetches[mode](baseUrl + path, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
        signal: signal ?? null,
      });
      if (response.ok) return response;
      throw new ProviderHttpError(response.status, await response.text(), response.headers);
    },
    async forward(path, { headers, ...request }, mode) {
      const timeouts = timeoutsFor(candidate, mode);
      const url = new URL(baseUrl + path);
      const allHeaders = {
        "content-type": "application/json",
        ...headers,
        ...type.headers(keyOf(candidate), url.href),
      };
      const send = sendFor(candidate, timeouts);
      return callProvider(send, { ...request, url, method: "POST", headers: allHeaders }, timeouts);
    },
    languageModel(mode = "streaming") {
      const model =
        models[mode] ??
        type
          .makeModel(
            { baseUrl, apiKey: undefined, fetch: fetches[mode], config },
            modelId,
            mode === "streaming",
          )
          .then((adapter) => withoutRefused(withOwnSteps(adapter, writtenBy), place));
      models[mode] = model;
      // The next call loads it again.
      model.catch(() => delete models[mode]);
      return model;
    },
    async ignoredSettings(call) {
      silent ??= await type.makeModel({ baseUrl, apiKey: undefined, fetch: answerNothing, config }, modelId);
      return ignoredSettings(silent, call);
    },
  };
}

const rejectBuiltIn = () =>
  Promise.reject(new Error("The built-in model can't be called through the gateway. Choose another model."));

export const offlineTarget: RouteTarget = {
  providerId: null,
  providerType: offline.value,
  displayName: offline.label,
  origin: null,
  modelId: OFFLINE_MODEL,
  requestedModel: OFFLINE_MODEL,
  pricing: null,
  writtenBy: OFFLINE_MODEL,
  wire: offline.wire,
  cutsPrompts: false,
  thinkingRoom: () => 0,
  silence: () => ({ firstByteMs: MINUTE, betweenBytesMs: MINUTE }),
  send: rejectBuiltIn,
  forward: rejectBuiltIn,
  languageModel: () =>
    offline.makeModel({ baseUrl: "", apiKey: undefined, fetch, config: {} }, OFFLINE_MODEL),
  ignoredSettings: async () => [],
};

// Creating a client dominates a call, so it is cached with the configuration.
const targets = new WeakMap<Candidate, RouteTarget>();

export function targetOf(candidate: Candidate): RouteTarget {
  let target = targets.get(candidate);
  if (!target) {
    target = makeTarget(candidate);
    targets.set(candidate, target);
  }
  return target;
}
