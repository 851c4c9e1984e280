import { Form, useNavigation } from "@remix-run/react";
import { ListChecks, Settings2, ShieldQuestion, Trash2 } from "lucide-react";
import type { ReactElement } from "react";
import { Badge, StatusDot } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { RelativeTime } from "~/ui/time";
import { ToggleButton } from "~/ui/toggle-button";
import type { ServerSummary } from "../mcp/mcp.schema";
import type { InstalledPlugin } from "../plugins.schema";
import { PluginIcon } from "./plugin-icon";

interface InstalledListProps {
  installed: InstalledPlugin[];
  /** By the id of the plugin. */
  servers: Readonly<Record<string, ServerSummary>>;
  mayManage: boolean;
}

export function InstalledList({ installed, servers, mayManage }: InstalledListProps) {
  return (
    <ul className="flex flex-col gap-3">
      {installed.map((one) => (
        <li key={one.id}>
          <Installed installed={one} server={servers[one.pluginId]} mayManage={mayManage} />
        </li>
      ))}
    </ul>
  );
}

interface InstalledProps extends Pick<InstalledListProps, "mayManage"> {
  installed: InstalledPlugin;
  server: ServerSummary | undefined;
}

function Installed({ installed, server, mayManage }: InstalledProps) {
  const address = usePageAddress();
  const { plugin, pluginId, enabled, version, installedAt, pending, problem, update } = installed;
  const { title } = plugin;
  const dialogLink = (dialog: string, action: string, icon: ReactElement) => ({
    to: address({ dialog, id: pluginId }),
    preventScrollReset: true,
    size: "sm" as const,
    icon,
    "aria-label": `${action} ${title}`,
  });
  return (
    <article className="rounded-lg border border-line bg-surface p-4 shadow-card">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <PluginIcon name={plugin.icon} />
        <div className="min-w-0 flex-[1_1_14rem]">
          <h2 className="flex flex-wrap items-center gap-2 text-sm">
            <span className="min-w-0 break-words">{title}</span>
            <Badge tone={enabled ? "success" : "neutral"}>{enabled ? "Active" : "Inactive"}</Badge>
            {enabled && server && <ServerHealth server={server} />}
          </h2>
          <p className="text-muted text-xs">
            {server
              ? `${server.allowed} of ${countOf(server.total, "tool")}`
              : countOf(plugin.tools.length, "tool")}{" "}
            · version {version} · installed <RelativeTime at={installedAt} style="date" />
          </p>
        </div>
        {mayManage && (
          <div className="flex flex-wrap items-center gap-2">
            <EnableSwitch pluginId={pluginId} title={title} enabled={enabled} />
            {plugin.kind === "mcp" && (
              <LinkButton {...dialogLink("tools", "Review the tools of", <ListChecks />)}>Tools</LinkButton>
            )}
            <LinkButton {...dialogLink("configure", "Configure", <Settings2 />)}>Configure</LinkButton>
            <LinkButton {...dialogLink("uninstall", "Uninstall", <Trash2 />)} variant="ghost">
              Uninstall
            </LinkButton>
          </div>
        )}
      </div>
      {enabled && server?.error && (
        <p className="wrap-anywhere mt-2 text-danger-ink text-xs">{server.error}</p>
      )}
      {problem && (
        <Notice kind="warning" className="mt-3">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <span>{problem}</span>
            {pending && mayManage && (
              <LinkButton {...dialogLink("install", "Review the permissions of", <ShieldQuestion />)}>
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

/** How the last check of an MCP server ended. */
function ServerHealth({ server: { checkedAt, error } }: { server: ServerSummary }) {
  if (checkedAt === null) return <span className="font-normal text-muted text-xs">Not checked yet</span>;
  return (
    <span className="inline-flex items-center gap-1.5 font-normal text-muted text-xs">
      <StatusDot tone={error ? "danger" : "success"} />
      {error ? (
        "Last check failed"
      ) : (
        <span>
          Answered <RelativeTime at={checkedAt} style="running" />
        </span>
      )}
    </span>
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
