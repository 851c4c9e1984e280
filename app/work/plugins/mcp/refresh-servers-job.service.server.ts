import { z } from "zod";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { installationOrgId } from "~/platform/settings/read-settings.service.server";
import { refreshAllServers } from "./mcp-servers.service.server";

const EVERY = 6 * 60 * 60_000;

/** Finds changed tools before a model does. */
export const refreshMcpServersJob = defineJob({
  kind: "plugins.refresh-servers",
  title: "Check the tools of MCP servers",
  input: z.object({}),
  lane: "maintenance",
  concurrency: 1,
  timeoutMs: 30 * 60_000,
  keepMs: 24 * 60 * 60_000,
  schedule: { everyMs: EVERY, input: {} },
  async run({ signal }) {
    const orgId = installationOrgId();
    if (orgId !== undefined) await refreshAllServers(orgId, signal);
  },
});
