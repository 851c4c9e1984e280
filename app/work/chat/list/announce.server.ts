import type { Actor } from "~/core/actor";
import { runNext } from "~/core/background.server";
import { publish } from "~/platform/events/events.service.server";

/** Only the owner is notified. */
const isOwn = ({ userId }: Actor, ids: readonly string[]) => new Set(ids.filter((id) => id === userId));

/** Published after the current transaction. */
export function announceConversations({ orgId, userId }: Pick<Actor, "orgId" | "userId">): void {
  runNext("live conversations", () =>
    publish({ topic: "conversations", orgId, id: userId, findVisible: isOwn }),
  );
}
