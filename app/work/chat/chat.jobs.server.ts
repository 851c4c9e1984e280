import { z } from "zod";
import { availableModel, listModels, resolveModel } from "~/ai/models/models.service.server";
import { yieldToEventLoop } from "~/core/background.server";
import { db, transaction } from "~/core/db.server";
import { HOUR, MINUTE } from "~/core/durations";
import { defineJob, type JobKind } from "~/platform/jobs/job-kind.service.server";
import { pruneEvents } from "./answer/answers.server";
import { remindWaiting, waitingReminder } from "./approvals/waiting.server";
import { attachmentSweep, sweepAttachments } from "./attachments/blobs.server";
import { findConversation } from "./chat.repo.server";
import { hasDuePurges, purgeConversations } from "./list/list.service.server";
import { deleteExpired, hasExpired } from "./retention/retention.service.server";
import { titleProposal } from "./title/plan-title.server";
import { proposeTitle } from "./title/propose-title.server";
import { importConversations, recordImportEnd } from "./transfer/import-conversations.server";
import { conversationImport } from "./transfer/imports.service.server";

export const chatJobs: readonly JobKind[] = [
  defineJob({
    kind: "chat.prune-events",
    title: "Delete events of finished answers",
    input: z.object({}),
    lane: "maintenance",
    timeoutMs: 10 * MINUTE,
    keepMs: HOUR,
    schedule: { everyMs: 10 * MINUTE, input: {} },
    run: pruneEvents,
  }),
  defineJob({
    kind: "chat.purge-conversations",
    title: "Remove deleted conversations",
    input: z.object({}),
    lane: "maintenance",
    timeoutMs: 10 * MINUTE,
    keepMs: HOUR,
    freesSpace: hasDuePurges,
    schedule: { everyMs: 10 * MINUTE, input: {} },
    async run({ signal }) {
      while ((await purgeConversations(signal)) > 0);
    },
  }),
  defineJob({
    kind: "chat.retention",
    title: "Delete conversations past their retention",
    input: z.object({}),
    lane: "maintenance",
    timeoutMs: HOUR,
    freesSpace: hasExpired,
    schedule: { cron: "20 3 * * *", input: {} },
    async run({ signal }) {
      while (!signal.aborted && deleteExpired() > 0) await yieldToEventLoop();
    },
  }),
  defineJob({
    ...attachmentSweep,
    title: "Delete files of removed attachments",
    timeoutMs: HOUR,
    keepMs: HOUR,
    schedule: { everyMs: HOUR, input: {} },
    run: ({ signal }) => sweepAttachments(signal),
  }),
  defineJob({
    ...conversationImport,
    title: "Import conversations",
    concurrency: 1,
    timeoutMs: HOUR,
    retry: { attempts: 3, backoffMs: [2_000, 10_000] },
    hasPrivateErrors: true,
    run: importConversations,
    onChange: (tx, { input, orgId }, change) => recordImportEnd(tx, input.importId, orgId, change),
    // The upload is gone and must be repeated.
    onRetry: () => undefined,
  }),
  defineJob({
    ...titleProposal,
    title: "Propose the title of a conversation",
    timeoutMs: MINUTE,
    keepMs: HOUR,
    async run({ input: { conversationId }, actor, signal }) {
      const owner = actor();
      const conversation = findConversation(db(), owner, conversationId);
      if (conversation?.titleSource !== "message") return;
      const modelId = availableModel(listModels(owner), conversation.model);
      await proposeTitle(owner, conversationId, resolveModel(owner, modelId), signal);
    },
  }),
  defineJob({
    ...waitingReminder,
    title: "Send reminders of answers awaiting approval",
    timeoutMs: MINUTE,
    keepMs: HOUR,
    run({ input, actor }) {
      const owner = actor();
      transaction((tx) => remindWaiting(tx, owner, input));
    },
  }),
];
