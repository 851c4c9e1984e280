import type { AuditEntry } from "~/features/audit/audit.schema";

/** The members' names by id. */
export type People = Readonly<Record<string, string>>;

const MEANS: Partial<Record<NonNullable<AuditEntry["actorKind"]>, string>> = {
  token: "API token",
  workflow: "workflow",
  job: "background job",
  link: "signed link",
};

/** Who did it, and about whom where that is another person: "Ana Pereira · API token · Jonas Weber". */
export function actorName(
  { userId, actorKind, resource }: Pick<AuditEntry, "userId" | "actorKind" | "resource">,
  people: People,
): string {
  const [kind, id = ""] = resource.split(":");
  const about = kind === "user" && id !== userId ? people[id] : undefined;
  // The recipient of a link is no member.
  const fallback = actorKind === "link" ? userId : "Removed member";
  const actor = userId === "system" ? "System" : (people[userId] ?? fallback);
  return [actor, actorKind && userId !== "system" && MEANS[actorKind], about].filter(Boolean).join(" · ");
}
