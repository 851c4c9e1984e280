import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import type { ChatModel } from "./language-model";
import type { RouteRecord } from "./models.schema";
import type { ProviderType } from "./providers/provider-type";

/** One provider as it serves one model, ready to be asked. */
export interface RouteTarget {
  /** Null for the built-in model. */
  providerId: string | null;
  providerType: string;
  /** The provider's name for a person. */
  displayName: string;
  /** The id that the provider knows the model by. */
  modelId: string;
  /** The price list that holds; null where none is known. */
  pricing: string | null;
  /** The protocols it speaks itself, each with its path below the base address. */
  wire: ProviderType["wire"];
  /**
   * Sends a request in one of the provider's own protocols, once, with its key; the answer's body is watched for
   * silence.
   *
   * @throws ProviderStatus for everything but success, and what `resilientFetch` throws: the router tells them apart
   */
  send(
    path: string,
    init: { body: string | Uint8Array; headers?: Record<string, string>; signal?: AbortSignal | undefined },
  ): Promise<Response>;
  /** The model through its adapter, asked once per call; made when it is first needed. */
  languageModel(): ChatModel;
}

/** Who asks for which model. */
export interface RouteRequest {
  actor: Actor;
  model: string;
  kind?: "chat" | "embedding";
  /** Ends the waiting and the attempts. */
  signal?: AbortSignal | undefined;
  /** Leaves out providers that can't take this call, such as by protocol. */
  accepts?: (target: RouteTarget) => boolean;
}

/** What a routed call learnt when it was over. Times in milliseconds. */
export interface CallEnd {
  outcome: "ok" | "stopped" | "error";
  firstTokenMs?: number | null | undefined;
  /** What ended it after it had begun. */
  error?: unknown;
}

export interface Routed<T> {
  value: T;
  target: RouteTarget;
  /** Gives the provider's place back and tells its health how it went. To be called once, whatever happens. */
  end(result: CallEnd): void;
}

/** A record to hand to `routeCall`, which fills it as it goes, also when it fails in the end. */
export function newRouteRecord(): RouteRecord {
  return { policy: "priority", reason: "", attempts: [] };
}

/**
 * Finds a provider for a call: asks those that serve the model in the order of its policy, waits and tries again what
 * may pass, and goes on to the next provider, then to the fallback models. `attempt` resolves when the answer has begun
 * (its first token is here); after that nothing is tried again.
 *
 * @throws AppError in a person's words: `provider_model` (unknown model), `provider_missing`, `provider_key`, and the
 *   last attempt's failure
 */
export async function routeCall<T>(
  _request: RouteRequest,
  _record: RouteRecord,
  _attempt: (target: RouteTarget) => Promise<T>,
): Promise<Routed<T>> {
  throw new AppError("unavailable", "The router is not there yet.");
}
