import { classify, parseAddress } from "~/core/egress/policy.server";
import { AppError, type FieldErrors } from "~/core/errors";
import { hasKey } from "~/team/keys/keys.service.server";
import { ProviderConfig } from "./models.schema";
import { findProviderType } from "./providers/index.server";
import type { ProviderType } from "./providers/provider-type";

const METADATA_HOSTS = new Set([
  "metadata",
  "metadata.google.internal",
  "instance-data",
  "instance-data.ec2.internal",
]);

export function requireType(value: string): ProviderType {
  const type = findProviderType(value);
  if (type) return type;
  throw new AppError("invalid", "Unknown provider type. Choose one from the list.", {
    fields: { provider: ["Choose a provider type from the list"] },
  });
}

/** Null resets a setting. */
export function mergeConfig(
  before: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined),
  );
}

function refuseHost(baseUrl: string): string | undefined {
  const host = new URL(baseUrl).hostname.replace(/\.$/, "");
  const address = parseAddress(host);
  const forbidden = address ? classify(address).reach === "never" : METADATA_HOSTS.has(host);
  return forbidden
    ? "Enter another address: link-local and cloud metadata addresses are never allowed"
    : undefined;
}

/** @throws AppError `invalid` with messages by `config.<setting>` */
export function parseConfig(orgId: string, type: ProviderType, input: unknown): ProviderConfig {
  const fields: FieldErrors = {};
  const refuse = (name: string, message: string) => {
    fields[`config.${name}`] = [...(fields[`config.${name}`] ?? []), message];
  };
  const parsed = ProviderConfig.safeParse(input);
  for (const issue of parsed.error?.issues ?? []) {
    if (issue.code === "unrecognized_keys") for (const key of issue.keys) refuse(key, "Unknown setting");
    else refuse(issue.path.join("."), issue.message);
  }
  const config = mergeConfig({}, parsed.data ?? {}) as ProviderConfig;
  for (const name of Object.keys(config)) {
    if (!type.fields.some((field) => field === name)) refuse(name, `${type.label} doesn't have this setting`);
  }
  if (parsed.success && !config.baseUrl && !type.defaultBaseUrl)
    refuse("baseUrl", "Enter the address of its API");
  const hostError = config.baseUrl && refuseHost(config.baseUrl);
  if (hostError) refuse("baseUrl", hostError);
  if (config.keyId && !hasKey(orgId, config.keyId)) refuse("keyId", "Choose an existing key reference");
  const first = Object.values(fields)[0]?.[0];
  if (first) throw new AppError("invalid", `${first}.`, { fields });
  if (config.baseUrl && type.normalizeBaseUrl) config.baseUrl = type.normalizeBaseUrl(config.baseUrl);
  return config;
}
