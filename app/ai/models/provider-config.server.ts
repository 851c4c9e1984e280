import type { Actor } from "~/core/actor";
import { classify, parseAddress } from "~/core/egress/policy.server";
import { AppError, type FieldErrors } from "~/core/errors";
import { describeIssue, parseWith } from "~/core/parse";
import { authorise, may } from "~/platform/rights/authorization.server";
import { KeyInput } from "~/team/keys/keys.schema";
import { hasKey, usualKey } from "~/team/keys/keys.service.server";
import { VARIABLE_CHOICE } from "~/team/keys/keys.shared";
import { type ProviderChoice, ProviderConfig } from "./models.schema";
import { findProviderType, listProviderTypes } from "./providers/index.server";
import type { ProviderType } from "./providers/provider-type.server";

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
export const withoutUnset = (config: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null && value !== undefined));

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
  const parsed = ProviderConfig.safeParse(input, { error: describeIssue });
  for (const issue of parsed.error?.issues ?? []) {
    if (issue.code === "unrecognized_keys") for (const key of issue.keys) refuse(key, "Unknown setting");
    else refuse(issue.path.join("."), issue.message);
  }
  const config = withoutUnset(parsed.data ?? {}) as ProviderConfig;
  if (config.api && !type.hasApiChoice) refuse("api", `${type.label} doesn't have this setting`);
  if (parsed.success && !config.baseUrl && !type.defaultBaseUrl)
    refuse("baseUrl", "Enter the address of its API");
  const hostError = config.baseUrl && refuseHost(config.baseUrl);
  if (hostError) refuse("baseUrl", hostError);
  const isReference = config.keyId && !config.keyId.startsWith(VARIABLE_CHOICE);
  if (config.keyId && isReference && !hasKey(orgId, config.keyId))
    refuse("keyId", "Choose an existing key reference");
  const first = Object.values(fields)[0]?.[0];
  if (first) throw new AppError("invalid", `${first}.`, { fields });
  if (config.baseUrl && type.normalizeBaseUrl) config.baseUrl = type.normalizeBaseUrl(config.baseUrl);
  return type.completeConfig?.(config) ?? config;
}

const originOf = (type: ProviderType, { baseUrl = type.defaultBaseUrl ?? undefined }: ProviderConfig) =>
  baseUrl && new URL(baseUrl).origin;

/** The reference to make of a variable that was chosen in place of one. @throws AppError `invalid` */
export function chosenVariable(type: ProviderType, config: ProviderConfig): KeyInput | undefined {
  const { keyId } = config;
  if (!keyId?.startsWith(VARIABLE_CHOICE)) return undefined;
  const alias = keyId.slice(VARIABLE_CHOICE.length);
  return parseWith(KeyInput, { provider: type.keyKind, alias, origin: originOf(type, config) }, "form");
}

/** The same of the type's usual variable, where the provider needs a key and none was chosen. */
export function usualVariable(
  actor: Actor,
  type: ProviderType,
  config: ProviderConfig,
): KeyInput | undefined {
  const origin = originOf(type, config);
  if (!origin || config.keyId || !type.keyRequired || !may(actor, "keys.manage")) return undefined;
  const usual = usualKey(actor.orgId, type.keyKind, origin);
  return usual && !usual.isReferenced ? { provider: type.keyKind, alias: usual.alias, origin } : undefined;
}

/** The types that can be added, each with its usual key. */
export function listProviderChoices(actor: Actor): ProviderChoice[] {
  authorise(actor, "providers.manage");
  return listProviderTypes().map((info) => {
    const type = requireType(info.value);
    const origin = originOf(type, {});
    const usual = origin && type.keyRequired ? usualKey(actor.orgId, type.keyKind, origin) : undefined;
    const key =
      usual && origin ? { alias: usual.alias, present: usual.present, host: new URL(origin).host } : null;
    return { ...info, needsKey: type.keyRequired, key };
  });
}
