import { offerModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { log } from "~/core/log.server";
import { may, refusal } from "~/platform/rights/authorization.server";
import { listKeyReferences } from "~/team/keys/keys.service.server";
import { listPersonas } from "~/work/personas/personas.service.server";
import { pageWorkflows } from "~/work/workflows/workflows.service.server";
import { catalogState } from "./catalog/listed-plugins.server";
import { readConfig } from "./install.service.server";
import { commandNames, listServerStates, pageServerTools } from "./mcp/mcp-servers.service.server";
import type { Plugin, PluginScreenQuery } from "./plugins.schema";
import { countByCategory, listInstalled, listPlugins, readOwnRating } from "./plugins.service.server";

/** Maximum personas and workflows searched for a plugin's tools. */
const MAX_SEARCHED = 500;

/** Undefined on failure: the screen shows an error. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    log.error("the plugins can't be read", { error });
    return undefined;
  }
}

/** Users of a plugin, for the uninstall dialog. */
function usersOf(actor: Actor, plugin: Plugin) {
  const tools = plugin.tools.map(({ name }) => name);
  const isOfPlugin = (type: string) => type.startsWith(`${plugin.id}.`);
  const workflows = pageWorkflows(actor, { limit: MAX_SEARCHED }).workflows;
  return {
    personas: listPersonas(actor)
      .filter((persona) => persona.tools.some((tool) => tools.includes(tool)))
      .map(({ name }) => name),
    workflows: workflows
      .filter(({ steps }) =>
        steps.some(({ type, config }) => isOfPlugin(type) || tools.includes(String(config.tool ?? ""))),
      )
      .map(({ name }) => name),
  };
}

function readDialog(actor: Actor, query: PluginScreenQuery, mayManage: boolean) {
  const { dialog, id } = query;
  const plugin = id === undefined ? undefined : listPlugins(actor).find((one) => one.id === id);
  if (dialog === "add-server") {
    if (!mayManage) return undefined;
    // Prefill for a listed entry.
    const start = plugin?.serverUrl ? { title: plugin.title, url: plugin.serverUrl } : undefined;
    return { kind: "add-server" as const, keys: keyChoices(actor), commands: commandNames(), start };
  }
  if (!dialog) return undefined;
  if (!plugin) return { kind: "missing" as const, message: "Plugin not found. It may have been removed." };
  if (dialog === "details")
    return { kind: "details" as const, plugin, ownRating: readOwnRating(actor, plugin.id) ?? null };
  if (!mayManage) return undefined;
  if (dialog === "install") return { kind: "install" as const, plugin };
  if (!plugin.installed)
    return { kind: "missing" as const, message: `Plugin not found. ${plugin.title} isn't installed.` };
  if (dialog === "configure") return { kind: "configure" as const, plugin, ...readForm(actor, plugin.id) };
  if (dialog === "uninstall") return { kind: "uninstall" as const, plugin, users: usersOf(actor, plugin) };
  return plugin.kind === "mcp"
    ? { kind: "tools" as const, ...pageServerTools(actor, plugin.id, query) }
    : undefined;
}

function readForm(actor: Actor, pluginId: string) {
  const config = readConfig(actor, pluginId);
  const hasModel = config.fields.some(({ control }) => control.kind === "model");
  const models = hasModel ? offerModels(actor) : [];
  return { ...config, keys: keyChoices(actor), models };
}

/** Never keys of model providers. */
function keyChoices(actor: Actor) {
  if (!may(actor, "keys.manage")) return [];
  return listKeyReferences(actor)
    .filter(({ provider }) => provider === "other" || provider === "database")
    .map(({ id, alias, provider, origins }) => ({ id, alias, kind: provider, origins }));
}

export function readPluginScreen(actor: Actor, query: PluginScreenQuery) {
  const mayManage = may(actor, "plugins.manage");
  const plugins = attempt(() => listPlugins(actor, query));
  return {
    query,
    // What is in use first; the order that was chosen within both.
    plugins: plugins?.toSorted((a, b) => Number(b.installed) - Number(a.installed)),
    servers: attempt(() => listServerStates(actor)) ?? {},
    counts: attempt(() => countByCategory(actor)),
    installed: attempt(() => listInstalled(actor)),
    mayManage,
    catalog: mayManage ? catalogState() : undefined,
    refusal: mayManage ? undefined : refusal("plugins.manage"),
    mayRate: may(actor, "plugins.rate"),
    dialog: readDialog(actor, query, mayManage),
  };
}
