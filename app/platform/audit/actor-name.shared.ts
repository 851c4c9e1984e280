import type { AuditEntry } from "./audit.schema";

/** Names of members by id, and of workflows and widgets by `workflow:` or `widget:` and id. */
export type People = Readonly<Record<string, string>>;

/** Begins the user id of who asks in a widget's chat: no member, who sees what everyone in the organization does. */
export const WIDGET_USER = "widget:";

/** Actor of attempts to sign in: nobody has proved to be anybody. */
export const STRANGER = "anonymous";

const ACTOR_KIND_LABELS: Partial<Record<NonNullable<AuditEntry["actorKind"]>, string>> = {
  token: "API token",
  job: "background job",
  link: "signed link",
};

type Author = Pick<AuditEntry, "userId"> & Partial<Pick<AuditEntry, "actorKind" | "address">>;

export function authorName({ userId, actorKind, address }: Author, people: People): string {
  if (userId === "system") return "System";
  if (userId === STRANGER) return address ? `Someone (${address})` : "Someone";
  if (userId.startsWith("workflow:")) return ["Workflow", people[userId]].filter(Boolean).join(" ");
  if (userId.startsWith(WIDGET_USER)) return ["Widget", people[userId]].filter(Boolean).join(" ");
  // Link recipients aren't members.
  return people[userId] ?? (actorKind === "link" ? userId : "Removed member");
}

type Described = Author & Pick<AuditEntry, "resource">;

function subjectOf({ resource, userId }: Described, people: People): string | undefined {
  const [kind, id = ""] = resource.split(":");
  return kind === "user" && id !== userId ? people[id] : undefined;
}

/** A member's workflow acts in the member's name where it uses their rights. */
const kindLabel = ({ userId, actorKind }: Author): string | undefined => {
  if (!actorKind || userId === "system" || userId.startsWith(WIDGET_USER)) return undefined;
  if (actorKind === "workflow") return userId.startsWith("workflow:") ? undefined : "workflow";
  return ACTOR_KIND_LABELS[actorKind];
};

export function actorName(entry: Described, people: People): string {
  return [authorName(entry, people), kindLabel(entry), subjectOf(entry, people)].filter(Boolean).join(" · ");
}
