import { useActionData, useLoaderData } from "@remix-run/react";
import { CircleAlert, Plug, Puzzle, SearchX } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { FAILURES } from "~/ui/failures";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { Tabs } from "~/ui/tabs";
import { lazyDialog } from "~/ui/use-open-dialog";
import { AddServerDialog } from "~/work/plugins/components/add-server-dialog";
import { ConfigureDialog } from "~/work/plugins/components/configure-dialog";
import { DetailsDialog } from "~/work/plugins/components/details-dialog";
import { InstallDialog } from "~/work/plugins/components/install-dialog";
import { InstalledList } from "~/work/plugins/components/installed-list";
import { CategoryCards, MarketplaceFilters } from "~/work/plugins/components/marketplace-filters";
import { PluginCard } from "~/work/plugins/components/plugin-card";
import { UninstallDialog } from "~/work/plugins/components/uninstall-dialog";
import { configurePlugin, installPlugin, uninstallPlugin } from "~/work/plugins/install.service.server";
import {
  McpAccountsInput,
  McpDecisionsForm,
  type McpServer,
  McpServerInput,
  type ServerToolsQuery,
  TOOLS_PER_PAGE,
} from "~/work/plugins/mcp/mcp.schema";
import { addMcpServer, decideTools, refreshMcpServer } from "~/work/plugins/mcp/mcp-servers.service.server";
import {
  chooseAccounts,
  disconnectAccount,
  startConnect,
} from "~/work/plugins/mcp/oauth/connect.service.server";
import {
  InstallForm,
  type Plugin,
  PluginScreenQuery,
  PluginSettingsForm,
  RatingInput,
} from "~/work/plugins/plugins.schema";
import { ratePlugin } from "~/work/plugins/plugins.service.server";
import { readPluginScreen } from "~/work/plugins/screen.service.server";

export const meta = pageTitle("Plugin Marketplace");

const ServerToolsDialog = lazyDialog(
  () => import("~/work/plugins/components/server-tools-dialog").then((module) => module.ServerToolsDialog),
  ({ server, closeTo }) => ({ title: `Tools of ${server.title}`, closeTo, size: "lg" }),
);

/** A long list stays open where it was. */
function toolsDecided({ id, tools }: McpServer, { find, toolPage }: ServerToolsQuery) {
  const toast = `${countOf(tools.filter(({ state }) => state === "allowed").length, "tool")} allowed`;
  if (tools.length <= TOOLS_PER_PAGE) return toast;
  const place = new URLSearchParams({ tab: "installed", dialog: "tools", id });
  if (find) place.set("find", find);
  if (toolPage > 1) place.set("toolPage", String(toolPage));
  return { to: `/extensions?${place}`, toast };
}

const { loader, action } = screen({
  access: "signed-in",
  query: PluginScreenQuery,
  load: ({ actor, query }) => readPluginScreen(actor, query),
  actions: {
    install: intent({
      access: "plugins.manage",
      target: "id",
      input: InstallForm,
      run: ({ actor, target, input }) => installPlugin(actor, target, input.version),
      done: ({ pluginId, problem }) => {
        const toast = "Plugin has been successfully installed.";
        // A required setting is missing: open it next.
        return problem === null
          ? toast
          : { to: `/extensions?tab=installed&dialog=configure&id=${pluginId}`, toast };
      },
      failed: { dialog: FAILURES.installPlugin },
    }),
    agree: intent({
      access: "plugins.manage",
      target: "id",
      input: InstallForm,
      run: ({ actor, target, input }) => installPlugin(actor, target, input.version),
      done: "Permissions accepted",
      failed: { dialog: FAILURES.updatePlugin },
    }),
    uninstall: intent({
      access: "plugins.manage",
      target: "id",
      run: ({ actor, target }) => uninstallPlugin(actor, target),
      done: "Plugin uninstalled",
      failed: { dialog: FAILURES.uninstallPlugin },
    }),
    enable: intent({
      access: "plugins.manage",
      target: "id",
      run: ({ actor, target }) => configurePlugin(actor, target, { enabled: true }),
      done: ({ plugin }) => `${plugin.title} enabled`,
      failed: { toast: FAILURES.updatePlugin },
    }),
    disable: intent({
      access: "plugins.manage",
      target: "id",
      run: ({ actor, target }) => configurePlugin(actor, target, { enabled: false }),
      done: ({ plugin }) => `${plugin.title} disabled`,
      failed: { toast: FAILURES.updatePlugin },
    }),
    configure: intent({
      access: "plugins.manage",
      target: "id",
      input: PluginSettingsForm,
      run: ({ actor, target, input }) => configurePlugin(actor, target, { settings: input }, true),
      done: ({ plugin }) => `${plugin.title} configured`,
    }),
    rate: intent({
      access: "plugins.rate",
      target: "id",
      input: RatingInput,
      run: ({ actor, target, input }) => ratePlugin(actor, target, input.stars),
      done: ({ title }) => `${title} rated`,
      failed: { toast: FAILURES.updatePlugin },
    }),
    "add-server": intent({
      access: "plugins.manage",
      input: McpServerInput,
      run: ({ actor, input, context }) => addMcpServer(actor, input, context.closed),
      done: ({ id }) => ({
        to: `/extensions?tab=installed&dialog=tools&id=${id}`,
        toast: "Plugin has been successfully installed.",
      }),
    }),
    "refresh-tools": intent({
      access: "plugins.manage",
      target: "id",
      run: ({ actor, target, context }) => refreshMcpServer(actor, target, context.closed),
      done: ({ id }) => ({ to: `/extensions?tab=installed&dialog=tools&id=${id}` }),
      failed: { toast: FAILURES.updatePlugin },
    }),
    "connect-account": intent({
      access: "plugins.manage",
      target: "id",
      run: ({ actor, target, context }) => startConnect(actor, target, context.origin),
      done: ({ url }) => ({ show: url }),
      failed: { dialog: "Connection Failed" },
    }),
    "disconnect-account": intent({
      access: "plugins.manage",
      target: "id",
      run: ({ actor, target }) => disconnectAccount(actor, target),
      done: ({ title }) => `${title} disconnected`,
      failed: { dialog: FAILURES.updatePlugin },
    }),
    "choose-accounts": intent({
      access: "plugins.manage",
      target: "id",
      input: McpAccountsInput,
      run: ({ actor, target, input }) => chooseAccounts(actor, target, input),
      done: ({ id, title }) => ({
        to: `/extensions?tab=installed&dialog=tools&id=${id}`,
        toast: `Accounts of ${title} saved`,
      }),
      failed: { toast: FAILURES.updatePlugin },
    }),
    "decide-tools": intent({
      access: "plugins.manage",
      target: "id",
      input: McpDecisionsForm,
      run: ({ actor, target, input }) => decideTools(actor, target, input),
      done: (server, { input }) => toolsDecided(server, input),
      failed: { toast: FAILURES.updatePlugin },
    }),
    "allow-shown": intent({
      access: "plugins.manage",
      target: "id",
      input: McpDecisionsForm,
      run: ({ actor, target, input: { decided } }) =>
        decideTools(actor, target, { allowed: decided, decided }),
      done: (server, { input }) => toolsDecided(server, input),
      failed: { toast: FAILURES.updatePlugin },
    }),
    "deny-shown": intent({
      access: "plugins.manage",
      target: "id",
      input: McpDecisionsForm,
      run: ({ actor, target, input: { decided } }) => decideTools(actor, target, { allowed: [], decided }),
      done: (server, { input }) => toolsDecided(server, input),
      failed: { toast: FAILURES.updatePlugin },
    }),
  },
});

export { action, loader };

export default function Extensions() {
  const { query, plugins, servers, counts, catalog, installed, mayManage, mayRate, refusal, dialog } =
    useLoaderData<typeof loader>();
  const { result, shown } = useActionData<typeof action>() ?? {};
  useLiveTopics(["plugins"], { isPaused: dialog !== undefined });
  const address = usePageAddress();
  const closeTo = address({ find: undefined, toolPage: undefined });
  const isInstalledTab = query.tab === "installed";
  const dialogTo = (dialog: string, id?: string) => address({ dialog, id });
  const installTo = ({ id, pricing, kind, serverUrl }: Plugin) => {
    if (!mayManage || pricing !== "free") return undefined;
    if (kind !== "listed") return dialogTo("install", id);
    return serverUrl ? dialogTo("add-server", id) : undefined;
  };
  return (
    <>
      <PageHeader
        title="Plugin Marketplace"
        subtitle="Install extensions that add tools to chat, personas and workflows"
        actions={
          mayManage ? (
            <LinkButton to={dialogTo("add-server")} preventScrollReset variant="primary" icon={<Plug />}>
              Add MCP Server
            </LinkButton>
          ) : (
            <p className="text-muted text-xs">{refusal}</p>
          )
        }
      />
      <div className="mb-5">
        <Tabs
          label="Plugins"
          tabs={[
            { label: "Marketplace", to: "/extensions", active: !isInstalledTab },
            {
              label: installed ? `Installed (${installed.length})` : "Installed",
              to: "/extensions?tab=installed",
              active: isInstalledTab,
            },
          ]}
        />
      </div>
      {isInstalledTab ? (
        <InstalledTab {...{ installed, servers, mayManage }} />
      ) : (
        <>
          <MarketplaceFilters query={query} />
          {/* What was searched for comes first. */}
          {query.search === "" && <CategoryCards query={query} counts={counts} />}
          <CatalogNotice catalog={catalog} />
          <Marketplace plugins={plugins} dialogTo={dialogTo} installTo={installTo} />
        </>
      )}
      {dialog?.kind === "missing" && <MissingDialog message={dialog.message} closeTo={closeTo} />}
      {dialog?.kind === "details" && (
        <DetailsDialog
          plugin={dialog.plugin}
          ownRating={dialog.ownRating}
          mayRate={mayRate}
          closeTo={closeTo}
          installTo={installTo(dialog.plugin)}
        />
      )}
      {dialog?.kind === "install" && <InstallDialog plugin={dialog.plugin} closeTo={closeTo} />}
      {dialog?.kind === "configure" && (
        <ConfigureDialog key={dialog.plugin.id} {...dialog} closeTo={closeTo} result={result} />
      )}
      {dialog?.kind === "uninstall" && (
        <UninstallDialog plugin={dialog.plugin} users={dialog.users} closeTo={closeTo} />
      )}
      {dialog?.kind === "tools" && <ServerToolsDialog {...dialog} signInAt={shown} closeTo={closeTo} />}
      {dialog?.kind === "add-server" && (
        <AddServerDialog key={dialog.start?.url} {...dialog} closeTo={closeTo} result={result} />
      )}
    </>
  );
}

/** Problems of the operator's catalog, for admins. */
function CatalogNotice({ catalog }: { catalog: Loaded["catalog"] }) {
  if (!catalog) return null;
  const { host, problem, skipped } = catalog;
  if (problem)
    return (
      <Notice kind="warning" title={`Couldn't read the catalog of ${host}`} className="mb-4">
        {problem} Plugins loaded earlier stay listed. The catalog is refreshed every 6 hours.
      </Notice>
    );
  if (skipped.length === 0) return null;
  return (
    <Notice
      kind="warning"
      title={`${countOf(skipped.length, "plugin")} of ${host} left out`}
      className="mb-4"
    >
      {skipped.slice(0, 5).join("; ")}
      {skipped.length > 5 && `; and ${skipped.length - 5} more`}
    </Notice>
  );
}

type Loaded = ReturnType<typeof useLoaderData<typeof loader>>;

interface MarketplaceProps {
  plugins: Loaded["plugins"];
  dialogTo: (name: string, id?: string) => string;
  /** Undefined if not installable. */
  installTo: (plugin: Plugin) => string | undefined;
}

function Marketplace({ plugins, dialogTo, installTo }: MarketplaceProps) {
  if (!plugins) return <FailedList title="Failed to fetch plugins" />;
  if (plugins.length === 0)
    return (
      <EmptyState
        icon={<SearchX />}
        title="No plugins found"
        description="Try adjusting your search or filters."
        action={<LinkButton to="/extensions">Show All Plugins</LinkButton>}
      />
    );
  return (
    <section aria-labelledby="plugins">
      <header className="mb-3 flex flex-wrap items-center gap-3">
        <h2 id="plugins" className="text-md">
          Plugins
        </h2>
        <Badge>{`${countOf(plugins.length, "plugin")} available`}</Badge>
      </header>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] gap-4">
        {plugins.map((plugin) => (
          <li key={plugin.id}>
            <PluginCard
              plugin={plugin}
              detailsTo={dialogTo("details", plugin.id)}
              installTo={installTo(plugin)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function InstalledTab({
  installed,
  servers,
  mayManage,
}: Pick<Loaded, "installed" | "servers" | "mayManage">) {
  if (!installed) return <FailedList title="Failed to fetch installed plugins" />;
  if (installed.length > 0) return <InstalledList {...{ installed, servers, mayManage }} />;
  return (
    <EmptyState
      icon={<Puzzle />}
      title="No plugins installed"
      description="Plugins add tools to chat, personas and workflows."
      action={
        <LinkButton to="/extensions" variant="primary">
          Browse Marketplace
        </LinkButton>
      }
    />
  );
}

function FailedList({ title }: { title: string }) {
  return (
    <EmptyState
      icon={<CircleAlert />}
      title={title}
      description="Reload the page to try again. The server log has the reason."
    />
  );
}
