import { z } from "zod";
import { transaction } from "~/core/db.server";
import { DAY, HOUR, MINUTE } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { refreshCatalog } from "./catalog/listed-plugins.server";
import { forgetServers, refreshAllServers } from "./mcp/mcp-servers.service.server";
import { forgetRemovedSettings } from "./plugins.repo.server";

/** Retention after uninstalling, in ms. */
const RETENTION = 30 * DAY;

const maintenance = { input: z.object({}), lane: "maintenance", concurrency: 1, keepMs: DAY } as const;

export const forgetPluginSettingsJob = defineJob({
  ...maintenance,
  kind: "plugins.forget-settings",
  title: "Delete the settings of plugins uninstalled 30 days ago",
  timeoutMs: MINUTE,
  schedule: { everyMs: DAY, atStart: true, input: {} },
  async run() {
    forgetServers(transaction((tx) => forgetRemovedSettings(tx, oldestKept(RETENTION))));
  },
});

/** Finds changed tools before a model does. */
const refreshServersJob = defineJob({
  ...maintenance,
  kind: "plugins.refresh-servers",
  title: "Check the tools of MCP servers",
  timeoutMs: 30 * MINUTE,
  schedule: { everyMs: 6 * HOUR, input: {} },
  async run({ signal }) {
    const orgId = installationOrgId();
    if (orgId !== undefined) await refreshAllServers(orgId, signal);
  },
});

const refreshCatalogJob = defineJob({
  ...maintenance,
  kind: "plugins.refresh-catalog",
  title: "Read the plugin catalog",
  timeoutMs: MINUTE,
  schedule: { everyMs: 6 * HOUR, atStart: true, input: {} },
  run: ({ signal }) => refreshCatalog(signal),
});

export const pluginJobs: readonly JobKind[] = [forgetPluginSettingsJob, refreshServersJob, refreshCatalogJob];
