import type { AuditEntry } from "~/features/audit/audit.schema";

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

/** The other user or the provider that an entry is about. */
function subjectOf({ details, resource, userId }: Described, people: People): string | undefined {
  const [kind, id = ""] = resource.split(":");
  if (kind === "user" && id !== userId) return people[id];
  const name = kind === "provider" ? details?.displayName : undefined;
  return typeof name === "string" ? name : undefined;
}

/** The actor and the subject: "Ana Pereira · API token · Jonas Weber". */
export function actorName(entry: Described, people: People): string {
  const { userId, actorKind } = entry;
  const about = subjectOf(entry, people);
  // Link recipients aren't members.
  const fallback = actorKind === "link" ? userId : "Removed member";
  const actor = userId === "system" ? "System" : (people[userId] ?? fallback);
  return [actor, actorKind && userId !== "system" && MEANS[actorKind], about].filter(Boolean).join(" · ");
}
