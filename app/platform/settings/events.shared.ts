/** Per person; the console lists notifications regardless. */
export const PERSONAL_CHANNELS = ["email", "push"] as const;
export const SHARED_CHANNELS = ["slack", "webhook"] as const;
export const CHANNELS = [...PERSONAL_CHANNELS, ...SHARED_CHANNELS] as const;

type PersonalChannel = (typeof PERSONAL_CHANNELS)[number];
export type SharedChannel = (typeof SHARED_CHANNELS)[number];
export type Channel = (typeof CHANNELS)[number];

interface EventFacts {
  label: string;
  hint: string;
  /** Least permission in the audience; others aren't offered it. */
  permission: "screens.read" | "workflows.write" | "documents.write" | "providers.manage" | "settings.manage";
  isPersonal?: true;
  defaultChannels: readonly PersonalChannel[];
}

const PUSH = ["push"] as const;
const ALL = PERSONAL_CHANNELS;

const NOTIFICATION_EVENTS = {
  "run.failed": {
    label: "Run failed",
    hint: "A run of your workflow failed, or the checks of its trigger do",
    permission: "workflows.write",
    defaultChannels: PUSH,
  },
  "approval.waiting": {
    label: "Approval waiting",
    hint: "A run waits for an answer, or a chat for your approval",
    permission: "workflows.write",
    defaultChannels: ALL,
  },
  "provider.down": {
    label: "Provider down",
    hint: "A provider stopped answering or recovered",
    permission: "providers.manage",
    defaultChannels: PUSH,
  },
  "budget.near": {
    label: "Budget alert",
    hint: "Spending is close to a budget or over it",
    permission: "screens.read",
    defaultChannels: ALL,
  },
  "ingestion.failed": {
    label: "Ingestion failed",
    hint: "A document you added couldn't be read",
    permission: "documents.write",
    isPersonal: true,
    defaultChannels: PUSH,
  },
  security: {
    label: "Security",
    hint: "Repeated failed sign-ins, a broken audit log or unexpected errors",
    permission: "settings.manage",
    defaultChannels: ALL,
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

export type NotificationEvent = keyof typeof NOTIFICATION_EVENTS;

export const EVENT_NAMES = Object.keys(NOTIFICATION_EVENTS) as [NotificationEvent, ...NotificationEvent[]];
export const eventFacts = (event: NotificationEvent): EventFacts => NOTIFICATION_EVENTS[event];

export const SHARED_EVENTS: readonly NotificationEvent[] = EVENT_NAMES.filter(
  (event) => !eventFacts(event).isPersonal,
);

/** Newer versions may have stored unknown events. */
export const eventLabel = (event: string): string =>
  EVENT_NAMES.some((name) => name === event) ? eventFacts(event as NotificationEvent).label : event;
