import type { AuditEntry } from "~/features/audit/audit.schema";

/** The members' names by id. */
export type People = Readonly<Record<string, string>>;

const MEANS: Partial<Record<NonNullable<AuditEntry["actorKind"]>, string>> = {
  token: "API token",
  workflow: "workflow",
  job: "background job",
};

/** Who did it, and about whom where that is another person: "Ana Pereira · API token · Jonas Weber". */
export function actorName(
  { userId, actorKind, resource }: Pick<AuditEntry, "userId" | "actorKind" | "resource">,
  people: People,
): string {
  const [kind, id = ""] = resource.split(":");
  const about = kind === "user" && id !== userId ? people[id] : undefined;
  const actor = userId === "system" ? "System" : (people[userId] ?? "Removed member");
  return [actor, actorKind && userId !== "system" && MEANS[actorKind], about].filter(Boolean).join(" · ");
}
