import type { Permission } from "./permissions";

const entries = {
  workflows: "screens.read",
  conversations: "chat.use",
  "conversation-imports": "chat.use",
  documents: "screens.read",
  "retrieval-checks": "screens.read",
  personas: "screens.read",
  prompts: "screens.read",
  evaluations: "screens.read",
  plugins: "screens.read",
  jobs: "settings.manage",
  usage: "screens.read",
  audit: "audit.own",
  "audit-stream": "safeguards.disable",
  budgets: "budgets.manage",
  notifications: "notifications.own",
} as const satisfies Readonly<Record<string, Permission>>;

export type Topic = keyof typeof entries;

/** The permission that each topic of the live stream requires. */
export const topics: Readonly<Record<Topic, Permission>> = entries;
