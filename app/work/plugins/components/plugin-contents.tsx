import { Globe, KeyRound, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { EFFECT_LABELS, type Effect } from "~/ai/tools/effects.shared";
import { Badge } from "~/ui/badge";
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

const LABELS = { prompts: "Prompts", steps: "Workflow steps", templates: "Workflow templates" } as const;
const KINDS = ["prompts", "steps", "templates"] as const;

export function BringsList({ plugin: { brings } }: { plugin: Pick<Plugin, "brings"> }) {
  const kinds = KINDS.filter((kind) => brings[kind].length > 0);
  if (kinds.length === 0) return null;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
      {kinds.map((kind) => (
        <div key={kind} className="contents">
          <dt className="text-muted">{LABELS[kind]}</dt>
          <dd className="wrap-anywhere">{brings[kind].join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 text-sm">{title}</h3>
      {children}
    </section>
  );
}

export function AlsoIncludes({ plugin }: { plugin: Pick<Plugin, "brings"> }) {
  if (KINDS.every((kind) => plugin.brings[kind].length === 0)) return null;
  return (
    <Part title="Also Includes">
      <BringsList plugin={plugin} />
    </Part>
  );
}

export function ToolList({ tools }: { tools: Plugin["tools"] }) {
  if (tools.length === 0) return <p className="text-muted">No tools yet.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {tools.map(({ name, title, effect }) => (
        <li key={name} className="flex items-start justify-between gap-3">
          <div className="min-w-0">
            <p className="wrap-anywhere">{title}</p>
            <p className="wrap-anywhere font-mono text-muted text-xs">{name}</p>
          </div>
          <Badge>{EFFECT_LABELS[effect]}</Badge>
        </li>
      ))}
    </ul>
  );
}
