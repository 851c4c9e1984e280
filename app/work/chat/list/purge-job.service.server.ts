import { z } from "zod";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { hasDuePurges, purgeConversations } from "./changes.service.server";

const EVERY = 10 * 60_000;

export const purgeConversationsJob = defineJob({
  kind: "chat.purge-conversations",
  title: "Remove deleted conversations",
  input: z.object({}),
  lane: "maintenance",
  timeoutMs: EVERY,
  keepMs: 60 * 60_000,
  freesSpace: hasDuePurges,
  schedule: { everyMs: EVERY, input: {} },
  async run({ signal }) {
    while (!signal.aborted && purgeConversations() > 0) await new Promise(setImmediate);
  },
});
