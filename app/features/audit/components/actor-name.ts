import type { AuditEntry } from "~/features/audit/audit.schema";

export type People = Readonly<Record<string, string>>;

const ACTOR_KIND_LABELS: Partial<Record<NonNullable<AuditEntry["actorKind"]>, string>> = {
  token: "API token",
  workflow: "workflow",
  job: "background job",
  link: "signed link",
};

type Described = Pick<AuditEntry, "userId" | "actorKind" | "resource">;

function subjectOf({ resource, userId }: Described, people: People): string | undefined {
  const [kind, id = ""] = resource.split(":");
  return kind === "user" && id !== userId ? people[id] : undefined;
}

export function actorName(entry: Described, people: People): string {
  const { userId, actorKind } = entry;
  const subject = subjectOf(entry, people);
  // Link recipients aren't members.
  const fallback = actorKind === "link" ? userId : "Removed member";
  const actor = userId === "system" ? "System" : (people[userId] ?? fallback);
  return [actor, actorKind && userId !== "system" && ACTOR_KIND_LABELS[actorKind], subject]
    .filter(Boolean)
    .join(" · ");
}
