import type { GuardedSend } from "~/core/egress/index.server";
import { readSetting } from "~/features/settings/read-settings.service.server";
import type { ChatModel } from "../language-model";
import { OFFLINE_MODEL } from "../models.schema";
import { askProvider, type ProviderAnswer } from "../provider-answer.service.server";
import { baseUrlOf, callFor, keyOf, sendFor } from "../provider-call.server";
import { ProviderHttpError } from "../providers/model-list.server";
import { offline } from "../providers/offline.provider.server";
import type { ProviderType } from "../providers/provider-type";
import { wellFormedModel } from "../well-formed-model.server";
import type { Candidate } from "./candidates.server";

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
  /** The price list that holds; null where none is known. */
  pricing: string | null;
  wire: ProviderType["wire"];
  /**
   * Sends a request in the provider's protocol once, with its key and timeouts.
   * @throws ProviderHttpError for errors, and as `resilientFetch`
   */
  send(path: string, request: TargetRequest, answer?: AnswerForm): Promise<Response>;
  /** As `send`, for a passthrough. @throws as `askProvider` */
  ask(path: string, request: TargetRequest, answer: AnswerForm): Promise<ProviderAnswer>;
  /** The adapter, created on demand. */
  languageModel(answer?: AnswerForm): ChatModel;
}

type AnswerForm = "streamed" | "whole";

/** Timeout of a non-streaming response, in ms. */
const WHOLE_ANSWER = 10 * 60_000;

function patienceFor({ row }: Candidate, answer: AnswerForm) {
  const timeout = readSetting(row.orgId, "ai.timeout");
  const firstByteMs = answer === "whole" ? Math.max(timeout, WHOLE_ANSWER) : timeout;
  return { firstByteMs, betweenBytesMs: timeout };
}

/** Reads key and limits per request, so that clients can be cached. */
function fetchFor(candidate: Candidate, answer: AnswerForm): typeof fetch {
  const { row, type } = candidate;
  return async (input, init) => {
    // The router retries: it knows other providers.
    const call = callFor(row, type, { ...patienceFor(candidate, answer), retries: 0 });
    const headers = new Headers(init?.headers);
    const address = input instanceof Request ? input.url : String(input);
    for (const [name, value] of Object.entries(type.headers(call.apiKey, address))) headers.set(name, value);
    return call.fetch(input, { ...init, headers });
  };
}

/** Reads the key per request. */
function askFor(candidate: Candidate, baseUrl: string): RouteTarget["ask"] {
  const { row, type } = candidate;
  const urls = new Map<string, URL>();
  const guarded: Partial<Record<AnswerForm, { firstByteMs: number; send: GuardedSend }>> = {};
  return (path, { body, headers, signal }, answer) => {
    const patience = patienceFor(candidate, answer);
    const { firstByteMs } = patience;
    let way = guarded[answer];
    if (way?.firstByteMs !== firstByteMs) {
      way = { firstByteMs, send: sendFor(type, baseUrl, firstByteMs) };
      guarded[answer] = way;
    }
    const url = urls.get(path) ?? new URL(baseUrl + path);
    urls.set(path, url);
    const all = {
      "content-type": "application/json",
      ...headers,
      ...type.headers(keyOf(row, type), url.href),
    };
    return askProvider(way.send, { url, headers: all, body, signal }, patience);
  };
}

function makeTarget(candidate: Candidate): RouteTarget {
  const { row, type, config, modelId, requestedModel, pricing } = candidate;
  const baseUrl = baseUrlOf(config, type);
  const ask = { streamed: fetchFor(candidate, "streamed"), whole: fetchFor(candidate, "whole") };
  const models: Partial<Record<AnswerForm, ChatModel>> = {};
  return {
    providerId: row.id,
    providerType: type.value,
    displayName: row.displayName,
    origin: new URL(baseUrl).origin,
    modelId,
    requestedModel,
    pricing,
    wire: type.wire,
    async send(path, { body, headers, signal }, answer = "streamed") {
      const response = await ask[answer](baseUrl + path, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
        ...(signal ? { signal } : {}),
      });
      if (response.ok) return response;
      throw new ProviderHttpError(response.status, await response.text(), response.headers);
    },
    ask: askFor(candidate, baseUrl),
    languageModel(answer = "streamed") {
      const model =
        models[answer] ??
        wellFormedModel(type.makeModel({ baseUrl, apiKey: undefined, fetch: ask[answer], config }, modelId));
      models[answer] = model;
      return model;
    },
  };
}

const refuseBuiltIn = () =>
  Promise.reject(new Error("The built-in model can't be called through the gateway. Choose another model."));

export const offlineTarget: RouteTarget = {
  providerId: null,
  providerType: offline.value,
  displayName: offline.label,
  origin: null,
  modelId: OFFLINE_MODEL,
  requestedModel: OFFLINE_MODEL,
  pricing: null,
  wire: offline.wire,
  send: refuseBuiltIn,
  ask: refuseBuiltIn,
  languageModel: () =>
    offline.makeModel({ baseUrl: "", apiKey: undefined, fetch, config: {} }, OFFLINE_MODEL),
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
