import { z } from "zod";
import { choice, HAS_LINE_BREAK, numeric, requiredText, text } from "../steps/step-config";
import type { StepField } from "../steps/step-type";
import { defineTrigger } from "./trigger-type";

/** In minutes. */
const MAX_INTERVAL = 10_080;
const MIN_INTERVAL = 5;

const SECURITY = ["tls", "starttls"] as const;
const FIRST = ["nothing", "newest"] as const;

const oneLine = (message: string, max: number) =>
  requiredText(message, max)
    .transform((value) => value.trim())
    .refine((value) => !HAS_LINE_BREAK.test(value), "Remove the line break");

const EVERY: StepField = {
  name: "everyMinutes",
  label: "Check every",
  hint: "Enter minutes, at least 5.",
  control: { kind: "number", min: MIN_INTERVAL, max: MAX_INTERVAL, step: 1 },
};

/** @param there what is found at the first check @param one of it */
const atFirst = (there: string, one: string): StepField => ({
  name: "first",
  label: "At the first check",
  hint: `${there} start nothing, or the newest one starts a run to see how it works.`,
  control: {
    kind: "select",
    options: [
      { value: "nothing", label: "Start nothing" },
      { value: "newest", label: `Start with the newest ${one}` },
    ],
  },
});

export const feed = defineTrigger({
  type: "feed",
  label: "Feed Trigger",
  description: "Start the workflow for each new entry of an RSS, Atom or JSON feed.",
  icon: "Rss",
  defaults: { url: "", everyMinutes: 60, first: "nothing" },
  config: z.object({
    url: requiredText("Enter the feed's address", 2000)
      .transform((url) => url.trim())
      .refine((url) => /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url), {
        error: "Enter a complete address, such as https://example.com/feed.xml",
      })
      .refine((url) => !URL.canParse(url) || (!new URL(url).username && !new URL(url).password), {
        error: "Remove the user name and password from the address",
      }),
    everyMinutes: numeric(MIN_INTERVAL, MAX_INTERVAL).default(60),
    first: choice(FIRST, "nothing"),
  }),
  fields: [
    // Some feeds have a key in their address.
    { name: "url", label: "Address", control: { kind: "text" }, isPrivate: true },
    EVERY,
    atFirst("Entries that the feed already has", "entry"),
  ],
  detail: ({ url }) => url,
  outputs: {
    item: "The entry: id, title, link, published (an ISO date if it can be read), author, summary as text",
    feed: "The feed: title, url",
  },
});

export const email = defineTrigger({
  type: "email",
  label: "Email Trigger",
  description: "Start the workflow for each new message in a folder of a mailbox (IMAP).",
  icon: "Mail",
  defaults: {
    host: "",
    port: 993,
    security: "tls",
    user: "",
    key: "",
    folder: "INBOX",
    from: "",
    subject: "",
    everyMinutes: 5,
    first: "nothing",
  },
  config: z.object({
    host: oneLine("Enter the mail server, such as imap.example.com", 253).refine(
      (host) => /^[a-z0-9.-]+$/i.test(host) || /^\[?[0-9a-f:]+\]?$/i.test(host),
      "Enter the server's name alone, such as imap.example.com",
    ),
    port: numeric(1, 65_535).default(993),
    security: choice(SECURITY, "tls"),
    user: oneLine("Enter the user name", 320),
    key: requiredText("Choose a key reference", 64),
    folder: text(300).transform((folder) => folder.trim() || "INBOX"),
    from: text(320).transform((from) => from.trim()),
    subject: text(300).transform((subject) => subject.trim()),
    everyMinutes: numeric(MIN_INTERVAL, MAX_INTERVAL).default(MIN_INTERVAL),
    first: choice(FIRST, "nothing"),
  }),
  fields: [
    { name: "host", label: "Mail server", control: { kind: "text" } },
    {
      name: "port",
      label: "Port",
      hint: "Usually 993, or 143 with STARTTLS.",
      control: { kind: "number", min: 1, max: 65_535, step: 1 },
    },
    {
      name: "security",
      label: "Encryption",
      control: {
        kind: "select",
        options: [
          { value: "tls", label: "TLS from the start" },
          { value: "starttls", label: "STARTTLS before the sign-in" },
        ],
      },
    },
    { name: "user", label: "User name", control: { kind: "text" } },
    {
      name: "key",
      label: "Password",
      hint: "Choose a key reference of kind Other that is bound to https:// and the mail server's name.",
      control: { kind: "key" },
    },
    { name: "folder", label: "Folder", control: { kind: "text" } },
    {
      name: "from",
      label: "Sender contains",
      hint: "Leave blank for every sender. Senders can be forged.",
      control: { kind: "text" },
    },
    {
      name: "subject",
      label: "Subject contains",
      hint: "Leave blank for every subject.",
      control: { kind: "text" },
    },
    EVERY,
    atFirst("Messages that the folder already has", "message"),
  ],
  detail: ({ user, host, folder }) => `${user} at ${host}, folder ${folder}`,
  outputs: {
    mail: "The message: id, from, sender (its address), to, cc, subject, date, text, notes on what wasn't read",
    files: "Its attachments, for later steps",
  },
});

/** Whether a trigger of this type looks at its source itself. */
export const isPolled = (type: string): boolean => type === feed.type || type === email.type;
