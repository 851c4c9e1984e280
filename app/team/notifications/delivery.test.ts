import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sessionEnded } from "~/core/access-events.server";
import { db, transaction } from "~/core/db.server";
import { verifySignature } from "~/core/webhook-signature.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { changeRole } from "~/team/members/member.service.server";
import { nameOf } from "~/team/members/member-names.service.server";
import { notificationDeliveries } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { startMailServer } from "../../../tests/support/mail-server";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { startPushService } from "../../../tests/support/push-service";
import { Webhook } from "../../../tests/support/standard-webhooks";
import { deliver, listChannels, listDeliveries, testChannel } from "./delivery.service.server";
import { updateDelivery } from "./notifications.repo.server";
import { PushSubscriptionInput } from "./notifications.schema";
import { readPushSettings, startPushCleanup, subscribeBrowser } from "./notifications.service.server";
import { notify } from "./notify.service.server";

const never = new AbortController().signal;
const SECRET = "a secret of the webhook";

describe("deliveries", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let upstream: MockServer;
  let answer: { status: number; headers?: Record<string, string> };
  const opened: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    answer = { status: 200 };
    upstream = await startMockServer(
      (_, response) => void response.writeHead(answer.status, answer.headers).end("ok"),
    );
    opened.push(upstream);
    test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1", PUBLIC_URL: "https://console.example.com" });
    vi.stubEnv("QUARTERDECK_KEY_SLACK", `${upstream.origin}/services/T0/B0/secret`);
    vi.stubEnv("QUARTERDECK_KEY_WEBHOOK", SECRET);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    test.close();
    for (const one of opened.splice(0)) await one.close();
  });

  const switchOn = (values: Record<string, unknown>) =>
    updateSettings(test.actors.admin, "notifications", values);
  const rows = () => db().select().from(notificationDeliveries).all();
  /** Notifies the admin alone. @returns the one delivery */
  const queue = () => {
    transaction((tx) =>
      notify(tx, {
        event: "security",
        organisationId: test.actors.admin.orgId,
        audience: { permission: "settings.manage", userIds: ["usr_admin"] },
        title: "Sign-ins <refused>",
        body: "5 & more",
        link: "/audit",
        dedupeKey: "one",
      }),
    );
    const [row] = rows();
    if (!row) throw new Error("Nothing was queued.");
    return row;
  };
  const stateOf = () => rows().map(({ state, error }) => [state, error]);

  it("reach Slack's incoming webhook once with escaped text", async () => {
    switchOn({ enableSlack: true });
    const { id } = queue();
    await deliver(id, never);
    await deliver(id, never);
    expect(upstream.requests.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      [
        "/services/T0/B0/secret",
        { text: "*Sign-ins &lt;refused&gt;*\n5 &amp; more\n<https://console.example.com/audit|Open>" },
      ],
    ]);
    expect(stateOf()).toEqual([["sent", null]]);
  });

  it("reach a webhook signed, with the same id in each attempt", async () => {
    switchOn({ enableWebhooks: true, webhookUrl: `${upstream.origin}/hook` });
    const { id } = queue();
    answer = { status: 503 };
    await expect(deliver(id, never)).rejects.toMatchObject({
      code: "provider_unavailable",
      permanent: false,
    });
    expect(stateOf()).toEqual([["queued", null]]);
    answer = { status: 204 };
    await deliver(id, never);
    const ids = upstream.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(ids).toEqual([id, id]);
    const [, last] = upstream.requests;
    const body = last?.body ?? "";
    const headers = last?.headers as Record<string, string>;
    const call = { headers, rawBody: Buffer.from(body), now: Date.now() };
    expect(verifySignature({ scheme: "x-webhook" }, { ...call, secret: SECRET }).ok).toBe(true);
    expect(verifySignature({ scheme: "x-webhook" }, { ...call, secret: "another" }).ok).toBe(false);
    expect(new Webhook(SECRET, { format: "raw" }).verify(body, headers)).toMatchObject({ id });
    expect(JSON.parse(body)).toMatchObject({
      id,
      event: "security",
      link: "https://console.example.com/audit",
    });
  });

  it.each([
    [{ status: 404 }, { code: "provider_rejected", permanent: true }],
    [
      { status: 429, headers: { "retry-after": "7" } },
      { code: "rate_limited", retryAfter: 7 },
    ],
    [{ status: 302, headers: { location: "http://169.254.169.254/" } }, { permanent: true }],
  ])("fail by %j with an explanation", async (given, expected) => {
    switchOn({ enableWebhooks: true, webhookUrl: `${upstream.origin}/hook` });
    const { id } = queue();
    answer = given;
    await expect(deliver(id, never)).rejects.toMatchObject(expected);
  });

  it("aren't repeated after an attempt with an unknown result", async () => {
    switchOn({ enableSlack: true });
    const { id } = queue();
    transaction((tx) => updateDelivery(tx, id, { state: "sending" }));
    await expect(deliver(id, never)).rejects.toMatchObject({
      permanent: true,
      message: expect.stringContaining("may have arrived"),
    });
    expect(upstream.requests).toEqual([]);
  });

  it("reach a mail server with a link and the event's message ID", async () => {
    const mail = await startMailServer();
    opened.push(mail);
    test.close();
    test = openTestDatabase({ SMTP_URL: mail.url, PUBLIC_URL: "https://console.example.com" });
    switchOn({ enableEmail: true });
    const { id } = queue();
    await deliver(id, never);
    expect(mail.received.map(({ to }) => to)).toEqual([["admin@example.org"]]);
    const [listed] = listDeliveries(test.actors.owner);
    expect(listed).toMatchObject({
      channel: "email",
      recipient: nameOf(test.actors.admin.orgId, "usr_admin"),
    });
    expect(mail.text(0)).toContain("https://console.example.com/audit");
    expect(mail.text(0)).toContain(`Message-ID: <${id}@console.example.com>`);
  });

  it("aren't sent to a member without the permission", async () => {
    switchOn({ enableEmail: true });
    const { id } = queue();
    changeRole(test.actors.owner, "usr_admin", "member");
    await deliver(id, never);
    expect(stateOf()).toEqual([["skipped", "The person no longer has access."]]);
  });

  it("aren't sent over a disabled channel", async () => {
    switchOn({ enableSlack: true });
    const { id } = queue();
    switchOn({ enableSlack: false });
    await deliver(id, never);
    expect(stateOf()).toEqual([["skipped", "The channel was turned off."]]);
  });

  describe("to browsers", () => {
    const subscribe = async () => {
      const service = await startPushService();
      opened.push(service);
      switchOn({ enablePush: true });
      const actor = { ...test.actors.admin, sessionId: "ses_1" };
      subscribeBrowser(actor, PushSubscriptionInput.parse(service.subscription), "Browser 1");
      return service;
    };

    it("are encrypted for the browser and signed for its push service", async () => {
      const service = await subscribe();
      const { id } = queue();
      await deliver(id, never);
      expect(service.received).toHaveLength(1);
      const [push] = service.received;
      expect(JSON.parse(push?.text ?? "")).toEqual({
        id,
        title: "Sign-ins <refused>",
        body: "5 & more",
        link: "https://console.example.com/audit",
        icon: "/icon.svg",
      });
      expect(push?.claims).toMatchObject({ aud: service.origin, sub: "https://console.example.com" });
      expect(push?.publicKey).toBe(readPushSettings(test.actors.admin).publicKey);
      expect(push?.headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400" });
    });

    it("end with the subscription and with its session", async () => {
      const service = await subscribe();
      service.answer.status = 410;
      const { id } = queue();
      await deliver(id, never);
      expect(stateOf()).toEqual([["skipped", "The browser is no longer subscribed."]]);
      expect(readPushSettings(test.actors.admin).browsers).toEqual([]);
    });

    it("never go to a private address given by a browser", async () => {
      const service = await subscribe();
      test.close();
      test = openTestDatabase();
      switchOn({ enablePush: true });
      subscribeBrowser(test.actors.admin, PushSubscriptionInput.parse(service.subscription), null);
      const { id } = queue();
      await expect(deliver(id, never)).rejects.toMatchObject({ code: "egress_refused" });
    });

    it("end when the user signs out", async () => {
      await subscribe();
      const stop = startPushCleanup();
      sessionEnded("ses_1");
      stop();
      expect(readPushSettings(test.actors.admin).browsers).toEqual([]);
    });
  });

  it("report the result of a test", async () => {
    switchOn({ webhookUrl: `${upstream.origin}/hook` });
    await testChannel(test.actors.admin, "webhook");
    expect(JSON.parse(upstream.requests[0]?.body ?? "")).toMatchObject({ event: "test" });
    answer = { status: 500 };
    await expect(testChannel(test.actors.admin, "slack")).rejects.toThrow("Slack returned HTTP 500: ok");
    await expect(testChannel(test.actors.admin, "email")).rejects.toThrow("Set SMTP_URL");
    await expect(testChannel(test.actors.admin, "push")).rejects.toThrow("Profile");
    await expect(testChannel(test.actors.member, "slack")).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("name missing configuration, never a value", () => {
    vi.stubEnv("QUARTERDECK_KEY_SLACK", "not an address, but a secret");
    const problems = listChannels(test.actors.admin).map(({ channel, problem }) => [channel, problem]);
    expect(problems).toEqual([
      ["email", "Set SMTP_URL to send email."],
      ["push", null],
      ["slack", "The environment variable QUARTERDECK_KEY_SLACK is not the address of a Slack webhook."],
      ["webhook", "Enter the webhook address."],
    ]);
  });
});
