import { rawDatabase } from "~/core/db.server";

/** Answers when the database does; throws otherwise. */
export function checkHealth(): { status: "ok" } {
  rawDatabase().prepare("select 1").get();
  return { status: "ok" };
}
