import { type GuardedSend, guardedSend } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { type KeyRequest, keyFor } from "~/team/keys/keys.service.server";
import type { ProviderRow } from "./models.repo.server";
import { ProviderConfig } from "./models.schema";
import { type FetchOptions, resilientFetch } from "./provider-client.service.server";
import type { ProviderCall, ProviderType } from "./providers/provider-type";

/** In ms; a running stream isn't cut before. */
const RESPONSE_TIMEOUT_MS = 30 * 60_000;
const SILENCE_MARGIN_MS = 60_000;
const MAX_RESPONSE_BYTES = 100_000_000;

/** By the row's object: rows are cached. */
const parsedConfigs = new WeakMap<object, ProviderConfig>();

/** Unknown settings of other versions are ignored. */
export function readConfig({ config }: Pick<ProviderRow, "config">): ProviderConfig {
  const cached = parsedConfigs.get(config);
  if (cached) return cached;
  const parsed = ProviderConfig.safeParse(config);
  const result = parsed.success ? parsed.data : {};
  parsedConfigs.set(config, result);
  return result;
}

export function baseUrlOf(config: ProviderConfig, type: ProviderType): string {
  const baseUrl = config.baseUrl ?? type.defaultBaseUrl;
  if (!baseUrl)
    throw new AppError(
      "provider_missing",
      `${type.label} needs an API address. Edit the provider and enter a base URL.`,
    );
  return baseUrl;
}

function fetchOptionsOf(orgId: string): Partial<FetchOptions> {
  const { timeout, retryAttempts } = readSettings(orgId, "ai");
  return { firstByteMs: timeout, betweenBytesMs: timeout, retries: retryAttempts };
}

/** Whether its key is available. Never throws. */
export function hasRequiredKey(row: ProviderRow, type: ProviderType): boolean {
  try {
    keyOf(row, type);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Undefined without an address. */
export function keyRequestOf(row: ProviderRow, type: ProviderType): KeyRequest | undefined {
  const config = readConfig(row);
  const address = config.baseUrl ?? type.defaultBaseUrl;
  if (!address) return undefined;
  return { kind: type.keyKind, keyId: config.keyId, origin: new URL(address).origin };
}

export function keyOf(row: ProviderRow, type: ProviderType): string | undefined {
  const config = readConfig(row);
  const { origin } = new URL(baseUrlOf(config, type));
  const key = keyFor(row.orgId, { kind: type.keyKind, keyId: config.keyId, origin });
  if (key === undefined && type.keyRequired) {
    throw new AppError(
      "provider_key",
      `${row.displayName} has no API key. Add a key reference for ${origin} under Settings › API Keys.`,
    );
  }
  return key;
}

/**
 * The key and a fetch through the egress guard, with timeouts and retries.
 * @throws AppError `provider_key`, `provider_missing`
 */
export function callFor(
  row: ProviderRow,
  type: ProviderType,
  options: Partial<FetchOptions> = fetchOptionsOf(row.orgId),
): ProviderCall {
  const config = readConfig(row);
  const baseUrl = baseUrlOf(config, type);
  const send = sendFor(type, baseUrl, options.firstByteMs);
  return { baseUrl, apiKey: keyOf(row, type), fetch: resilientFetch(send, options), config };
}

/** The provider's own address is allowed. */
export function sendFor(type: ProviderType, baseUrl: string, firstByteMs = 0): GuardedSend {
  return guardedSend(`provider:${type.value}`, {
    allowOrigins: [baseUrl],
    timeoutMs: RESPONSE_TIMEOUT_MS,
    // Ours fires first, as its message names the provider.
    silenceMs: firstByteMs + SILENCE_MARGIN_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    secretHeaders: ["x-api-key", "x-goog-api-key"],
  });
}
