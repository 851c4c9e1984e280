import { SIGNATURE_HEADER, signCall, TIMESTAMP_HEADER } from "~/core/webhook-signature.server";
import type { Effects, Installation } from "./effect";
import { inDatabase, WEBHOOK_SECRET } from "./installation";

/** Failed sign-ins of one person from one address until they are reported. */
const MAX_ATTEMPTS = 10;

/** Channel of the alert about too many failed sign-ins from one address. */
async function channelsOfAnEvent(installation: Installation): Promise<string[]> {
  const { server, push } = installation;
  await server.ask("/api/notifications/push", { as: "owner", json: push.subscription });
  inDatabase(installation, (database) =>
    database.exec("DELETE FROM notification_deliveries; DELETE FROM notifications"),
  );
  let status = 0;
  for (let tries = 0; tries <= MAX_ATTEMPTS && status !== 429; tries++) {
    const form = { email: "viewer@example.org", password: "wrong" };
    const response = await server.ask("/login?local=1", { form, headers: { origin: server.baseUrl } });
    await response.text();
    status = response.status;
  }
  const response = await server.ask("/api/notifications/deliveries", { as: "owner" });
  const deliveries = (await response.json()) as { channel: string }[];
  return [...new Set(deliveries.map(({ channel }) => channel))].sort();
}

/** The requests that a press of "Send Test" makes at the mock server. */
async function sendTest({ server, upstream }: Installation, channel: "slack" | "webhook") {
  const before = upstream.requests.length;
  await server.ask("/settings/advanced", {
    as: "owner",
    form: { intent: "test-channel", channel },
    headers: { accept: "text/html" },
  });
  // Traces may come in meanwhile.
  return upstream.requests.slice(before).filter(({ url }) => !url.startsWith("/traces"));
}

const slackAddress = async (installation: Installation) => (await sendTest(installation, "slack"))[0]?.url;

const webhookAddress = ({ upstream }: Installation) => `${upstream.origin}/hook`;

/** Whether the call of a test is signed with the secret of `QUARTERDECK_KEY_WEBHOOK`. */
async function isSignedByDefault(installation: Installation): Promise<boolean | undefined> {
  const [call] = await sendTest(installation, "webhook");
  const rawBody = Buffer.from(call?.body ?? "");
  const now = Number(call?.headers[TIMESTAMP_HEADER]) * 1000;
  const signed = signCall({ secret: WEBHOOK_SECRET, id: "one", rawBody, now });
  return call && call.headers[SIGNATURE_HEADER] === signed[SIGNATURE_HEADER];
}

export const notifications: Effects<"notifications"> = {
  enableEmail: { alone: true, to: "on", observe: channelsOfAnEvent, before: [], after: ["email"] },
  enableSlack: { alone: true, to: "on", observe: channelsOfAnEvent, before: [], after: ["slack"] },
  enableWebhooks: { alone: true, to: "on", observe: channelsOfAnEvent, before: [], after: ["webhook"] },
  enablePush: { alone: true, to: "on", observe: channelsOfAnEvent, before: [], after: ["push"] },
  slackEvents: {
    to: "budget.near",
    given: () => ({ notifications: { enableSlack: true } }),
    observe: channelsOfAnEvent,
    before: ["slack"],
    after: [],
  },
  webhookEvents: {
    to: "budget.near",
    given: () => ({ notifications: { enableWebhooks: true } }),
    observe: channelsOfAnEvent,
    before: ["webhook"],
    after: [],
  },
  slackReference: {
    to: "QUARTERDECK_KEY_OTHER_SLACK",
    observe: slackAddress,
    before: "/slack",
    after: "/other-slack",
  },
  webhookUrl: {
    to: webhookAddress,
    observe: async (installation) => (await sendTest(installation, "webhook"))[0]?.url,
    before: undefined,
    after: "/hook",
  },
  webhookReference: {
    to: "QUARTERDECK_KEY_OTHER_SECRET",
    given: (installation) => ({ notifications: { webhookUrl: webhookAddress(installation) } }),
    observe: isSignedByDefault,
    before: true,
    after: false,
  },
};
