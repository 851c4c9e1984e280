import { Form, useNavigation } from "@remix-run/react";
import { ListChecks, Settings2, ShieldQuestion, Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { ToggleButton } from "~/ui/choice";
import { Notice } from "~/ui/notice";
import { RelativeTime } from "~/ui/time";
import type { InstalledPlugin, PluginScreenQuery } from "../plugins.schema";
import { extensionsAddress } from "./extensions-address";
import { PluginIcon } from "./plugin-icon";

interface InstalledListProps {
  installed: InstalledPlugin[];
  query: PluginScreenQuery;
  mayManage: boolean;
}

export function InstalledList({ installed, query, mayManage }: InstalledListProps) {
  return (
    <ul className="flex flex-col gap-3">
      {installed.map((one) => (
        <li key={one.id}>
          <Installed installed={one} query={query} mayManage={mayManage} />
        </li>
      ))}
    </ul>
  );
}

interface InstalledProps {
  installed: InstalledPlugin;
  query: PluginScreenQuery;
  mayManage: boolean;
}

function Installed({ installed, query, mayManage }: InstalledProps) {
  const { plugin, pluginId, enabled, version, installedAt, pending, problem, update } = installed;
  const { title } = plugin;
  const dialogTo = (dialog: string) => extensionsAddress(query, { dialog, id: pluginId });
  return (
    <article className="rounded-lg border border-line bg-surface p-4 shadow-card">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <PluginIcon name={plugin.icon} />
        <div className="min-w-0 flex-[1_1_14rem]">
          <h2 className="flex flex-wrap items-center gap-2 text-sm">
            <span className="min-w-0 break-words">{title}</span>
            <Badge tone={enabled ? "success" : "neutral"}>{enabled ? "Active" : "Inactive"}</Badge>
          </h2>
          <p className="text-muted text-xs">
            Version {version} · installed <RelativeTime at={installedAt} style="date" />
          </p>
        </div>
        {mayManage && (
          <div className="flex flex-wrap items-center gap-2">
            <EnableSwitch pluginId={pluginId} title={title} enabled={enabled} />
            {plugin.kind === "mcp" && (
              <LinkButton
                to={dialogTo("tools")}
                preventScrollReset
                size="sm"
                icon={<ListChecks aria-hidden="true" />}
                aria-label={`Review the tools of ${title}`}
              >
                Tools
              </LinkButton>
            )}
            <LinkButton
              to={dialogTo("configure")}
              preventScrollReset
              size="sm"
              icon={<Settings2 aria-hidden="true" />}
              aria-label={`Configure ${title}`}
            >
              Configure
            </LinkButton>
            <LinkButton
              to={dialogTo("uninstall")}
              preventScrollReset
              size="sm"
              variant="ghost"
              icon={<Trash2 aria-hidden="true" />}
              aria-label={`Uninstall ${title}`}
            >
              Uninstall
            </LinkButton>
          </div>
        )}
      </div>
      {problem && (
        <Notice kind="warning" className="mt-3">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <span>{problem}</span>
            {pending && mayManage && (
              <LinkButton
                to={dialogTo("install")}
                preventScrollReset
                size="sm"
                icon={<ShieldQuestion aria-hidden="true" />}
                aria-label={`Review the permissions of ${title}`}
              >
                Review
              </LinkButton>
            )}
          </span>
        </Notice>
      )}
      {update !== null && (
        <Notice kind="info" className="mt-3">
          Version {update} is listed.{" "}
          {mayManage ? "Check its tools for changes." : "An admin can check its tools."}
        </Notice>
      )}
    </article>
  );
}

function EnableSwitch({ pluginId, title, enabled }: { pluginId: string; title: string; enabled: boolean }) {
  const navigation = useNavigation();
  const { formData } = navigation;
  const pending =
    formData?.get("id") === pluginId && /^(?:enable|disable)$/.test(String(formData.get("intent")));
  return (
    <Form method="post" preventScrollReset className="flex items-center">
      <input type="hidden" name="id" value={pluginId} />
      <ToggleButton
        on={enabled}
        label={`${title} enabled`}
        intent={enabled ? "disable" : "enable"}
        pending={pending}
      />
    </Form>
  );
}
