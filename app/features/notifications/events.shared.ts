/** Channels of one person; their notifications are listed in the console whatever they choose here. */
export const PERSONAL_CHANNELS = ["email", "push"] as const;
/** Channels that all members share. */
export const SHARED_CHANNELS = ["slack", "webhook"] as const;
export const CHANNELS = [...PERSONAL_CHANNELS, ...SHARED_CHANNELS] as const;

export type PersonalChannel = (typeof PERSONAL_CHANNELS)[number];
export type SharedChannel = (typeof SHARED_CHANNELS)[number];
export type Channel = (typeof CHANNELS)[number];

interface EventFacts {
  label: string;
  hint: string;
  /** The least permission among the people it is ever sent to: others aren't offered it. */
  permission: "screens.read" | "workflows.write" | "documents.write" | "providers.manage" | "settings.manage";
  /** Whether it concerns single members only, and is never sent to a shared channel. */
  isPersonal?: true;
  /** Channels until a person chooses theirs. */
  byDefault: readonly PersonalChannel[];
}

const PUSH = ["push"] as const;
const ALL = PERSONAL_CHANNELS;

/** Every event that people are notified of. */
const NOTIFICATION_EVENTS = {
  "run.failed": {
    label: "Run failed",
    hint: "A run of your workflow failed",
    permission: "workflows.write",
    byDefault: PUSH,
  },
  "approval.waiting": {
    label: "Approval waiting",
    hint: "A run waits for an answer, or a chat for your approval",
    permission: "workflows.write",
    byDefault: ALL,
  },
  "provider.down": {
    label: "Provider down",
    hint: "A provider stopped answering or recovered",
    permission: "providers.manage",
    byDefault: PUSH,
  },
  "budget.near": {
    label: "Budget near",
    hint: "Spending is close to a budget or over it",
    permission: "screens.read",
    byDefault: ALL,
  },
  "ingestion.failed": {
    label: "Ingestion failed",
    hint: "A document you added couldn't be read",
    permission: "documents.write",
    isPersonal: true,
    byDefault: PUSH,
  },
  security: {
    label: "Security",
    hint: "Repeated failed sign-ins, a broken audit log or unexpected errors",
    permission: "settings.manage",
    byDefault: ALL,
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

export type NotificationEvent = keyof typeof NOTIFICATION_EVENTS;

export const EVENT_NAMES = Object.keys(NOTIFICATION_EVENTS) as [NotificationEvent, ...NotificationEvent[]];
export const eventFacts = (event: NotificationEvent): EventFacts => NOTIFICATION_EVENTS[event];

/** Events that an admin can have sent to shared channels. */
export const SHARED_EVENTS: readonly NotificationEvent[] = EVENT_NAMES.filter(
  (event) => !eventFacts(event).isPersonal,
);

/** The label of a stored event, which a newer program may have written. */
export const eventLabel = (event: string): string =>
  EVENT_NAMES.some((name) => name === event) ? eventFacts(event as NotificationEvent).label : event;
