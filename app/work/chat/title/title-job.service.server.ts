import { availableModel, listModels, resolveModel } from "~/ai/models/models.service.server";
import { db } from "~/core/db.server";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { findConversation } from "../chat.repo.server";
import { proposeTitleType } from "./plan-title.server";
import { proposeTitle } from "./propose-title.server";

export const proposeTitleJob = defineJob({
  ...proposeTitleType,
  title: "Propose the title of a conversation",
  timeoutMs: 60_000,
  keepMs: 60 * 60_000,
  async run({ input: { conversationId }, actor, signal }) {
    const owner = actor();
    const conversation = findConversation(db(), owner, conversationId);
    if (conversation?.titleSource !== "message") return;
    const modelId = availableModel(listModels(owner), conversation.model);
    await proposeTitle(owner, conversationId, resolveModel(owner, modelId), signal);
  },
});
