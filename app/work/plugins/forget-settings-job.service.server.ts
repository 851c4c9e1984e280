import { z } from "zod";
import { transaction } from "~/core/db.server";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { oldestKept } from "~/platform/jobs/retention.service.server";
import { forgetServers } from "./mcp/mcp-servers.service.server";
import { forgetRemovedSettings } from "./plugins.repo.server";

/** Retention after uninstalling, in ms. */
const RETENTION = 30 * 24 * 60 * 60_000;

export const forgetPluginSettingsJob = defineJob({
  kind: "plugins.forget-settings",
  title: "Delete the settings of plugins uninstalled 30 days ago",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 60_000,
  keepMs: 24 * 60 * 60_000,
  schedule: { everyMs: 24 * 60 * 60_000, atStart: true, input: {} },
  async run() {
    forgetServers(transaction((tx) => forgetRemovedSettings(tx, oldestKept(RETENTION))));
  },
});
