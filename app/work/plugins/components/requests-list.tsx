import { Globe, KeyRound, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import type { Effect } from "~/ai/tools/effects.schema";
import type { Plugin } from "../plugins.schema";

const EFFECTS: Record<Effect, string> = {
  reads: "read data",
  writes: "change data",
  outside: "send data outside the console",
};

const NO_HOSTS: Record<Plugin["kind"], string> = {
  bundled: "Connects to nothing outside the console.",
  mcp: "Runs a local command, which the egress guard doesn't cover.",
  listed: "Connects to nothing outside the console.",
};

function hostText(host: string, settings: Plugin["settings"]): string {
  if (host === "*") return "every public host";
  if (!host.startsWith("{")) return host;
  const setting = settings.find(({ name }) => `{${name}}` === host);
  const { host: preset } = setting && URL.canParse(setting.default) ? new URL(setting.default) : {};
  return `the host of its setting ${setting?.label ?? host}${preset ? `, initially ${preset}` : ""}`;
}

const join = (parts: readonly string[]) =>
  new Intl.ListFormat("en-US", { type: "conjunction" }).format(parts);

export function RequestsList({ plugin }: { plugin: Pick<Plugin, "kind" | "requests" | "settings"> }) {
  const { kind, requests, settings } = plugin;
  const { hosts, keys, effects } = requests;
  const labelOf = (key: string) => settings.find(({ name }) => name === key)?.label ?? key;
  return (
    <ul className="flex flex-col gap-2">
      <Request icon={<Wrench />}>
        {effects.length > 0
          ? `Its tools ${join(effects.map((effect) => EFFECTS[effect]))}.`
          : "It has no tools."}
      </Request>
      <Request icon={<Globe />}>
        {hosts.length > 0
          ? `Connects to ${join(hosts.map((host) => hostText(host, settings)))}.`
          : NO_HOSTS[kind]}
      </Request>
      <Request icon={<KeyRound />}>
        {keys.length > 0 ? `Can use a key reference for ${join(keys.map(labelOf))}.` : "Uses no keys."}
      </Request>
    </ul>
  );
}

function Request({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2.5 [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted">
      {icon}
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
