import type { AuditEntry } from "~/features/audit/audit.schema";

/** The members' names by id. */
export type People = Readonly<Record<string, string>>;

const MEANS: Partial<Record<NonNullable<AuditEntry["actorKind"]>, string>> = {
  token: "API token",
  workflow: "workflow",
  job: "background job",
  link: "signed link",
};

interface Described extends Pick<AuditEntry, "userId" | "actorKind" | "resource"> {
  details?: AuditEntry["details"];
}

/** The other person that an entry is about, or the provider, whose sentence has its type alone. */
function subjectOf({ details, resource, userId }: Described, people: People): string | undefined {
  const [kind, id = ""] = resource.split(":");
  if (kind === "user" && id !== userId) return people[id];
  const name = kind === "provider" ? details?.displayName : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Who did it, and about whom or what: "Ana Pereira · API token · Jonas Weber". */
export function actorName(entry: Described, people: People): string {
  const { userId, actorKind } = entry;
  const about = subjectOf(entry, people);
  // The recipient of a link is no member.
  const fallback = actorKind === "link" ? userId : "Removed member";
  const actor = userId === "system" ? "System" : (people[userId] ?? fallback);
  return [actor, actorKind && userId !== "system" && MEANS[actorKind], about].filter(Boolean).join(" · ");
}
