import { Globe, KeyRound, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import type { Effect } from "~/features/tools/effects.schema";
import type { PluginRequests } from "../manifest.schema";

const EFFECTS: Record<Effect, string> = {
  reads: "reads data",
  writes: "changes data",
  outside: "sends data outside",
};

const settingName = (host: string) => host.slice(1, -1);

function hostText(host: string): string {
  if (host === "*") return "every public host";
  return host.startsWith("{") ? `the host of its setting "${settingName(host)}"` : host;
}

const join = (parts: readonly string[]) =>
  new Intl.ListFormat("en-US", { type: "conjunction" }).format(parts);

/** What a plugin asks for, in sentences. */
export function RequestsList({ requests }: { requests: PluginRequests }) {
  const { hosts, keys, effects } = requests;
  return (
    <ul className="flex flex-col gap-2">
      <Request icon={<Wrench />}>
        {effects.length > 0
          ? `Its tools: ${join(effects.map((effect) => EFFECTS[effect]))}.`
          : "It has no tools of its own."}
      </Request>
      <Request icon={<Globe />}>
        {hosts.length > 0
          ? `Connects to ${join(hosts.map(hostText))}.`
          : "Connects to nothing outside the console."}
      </Request>
      <Request icon={<KeyRound />}>
        {keys.length > 0 ? `Can use a key reference for ${join(keys)}.` : "Uses no keys."}
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
