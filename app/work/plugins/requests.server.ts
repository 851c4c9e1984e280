import type { PluginManifest, PluginRequests } from "./manifest.schema";
import type { PluginConsent } from "./plugins.repo.server";

/** Undefined if all are granted. */
export function missingConsent(
  { requests }: Pick<PluginManifest, "requests">,
  consent: Pick<PluginConsent, "hosts" | "keys" | "effects">,
): PluginRequests | undefined {
  const hosts = consent.hosts.includes("*")
    ? []
    : requests.hosts.filter((host) => !consent.hosts.includes(host));
  const keys = requests.keys.filter((key) => !consent.keys.includes(key));
  const effects = requests.effects.filter((effect) => !consent.effects.includes(effect));
  return hosts.length + keys.length + effects.length > 0 ? { hosts, keys, effects } : undefined;
}

/** Hosts of the manifest with its settings filled in; undefined means any public host. */
export function declaredHosts(
  { requests }: Pick<PluginManifest, "requests">,
  values: Readonly<Record<string, unknown>>,
): string[] | undefined {
  if (requests.hosts.includes("*")) return undefined;
  return requests.hosts.flatMap((host) => {
    if (!host.startsWith("{")) return [host];
    const value = String(values[host.slice(1, -1)] ?? "");
    return URL.canParse(value) ? [new URL(value).host] : [];
  });
}
