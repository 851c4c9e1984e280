import type { Actor } from "~/core/actor";
import { publish } from "~/features/events/events.service.server";

/** A person's conversations are announced to that person alone. */
const isOwn = ({ userId }: Actor, ids: readonly string[]) => new Set(ids.filter((id) => id === userId));

/** Announces after the running transaction that a person's list of conversations has changed. */
export function announceConversations({ orgId, userId }: Pick<Actor, "orgId" | "userId">): void {
  setImmediate(() => publish({ topic: "conversations", orgId, id: userId, findVisible: isOwn }));
}
