import type { Db } from "~/core/db.server";
import { notify } from "~/features/notifications/notify.service.server";
import type { ActiveGeneration } from "../answer/active-generation.server";
import { isUndecided } from "../answer-state.shared";

/** Notifies the owner of a waiting answer that no page shows. */
export function notifyWaiting(tx: Db, { actor, conversationId, messageId, state }: ActiveGeneration): void {
  const tools = state.parts.filter(isUndecided).map(({ toolName }) => toolName);
  notify(tx, {
    event: "approval.waiting",
    organisationId: actor.orgId,
    audience: { permission: "chat.use", userIds: [actor.userId] },
    title: "An answer waits for your approval",
    body: `Tools: ${[...new Set(tools)].join(", ")}`,
    link: `/chat/${conversationId}`,
    dedupeKey: `${messageId}:${state.parts.length}`,
    isPrivate: true,
  });
}
