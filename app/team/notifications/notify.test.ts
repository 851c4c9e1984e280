import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { notificationDeliveries, notifications } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { saveChoices } from "./notifications.repo.server";
import { type NotificationInput, notify } from "./notify.service.server";

describe("notify", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => {
    setClock();
    test.close();
  });

  const send = (change: Partial<NotificationInput> = {}) =>
    transaction((tx) =>
      notify(tx, {
        event: "provider.down",
        organisationId: test.actors.owner.orgId,
        audience: { permission: "providers.manage" },
        title: "Lab is down",
        link: "/settings/providers",
        dedupeKey: "prv_1",
        ...change,
      }),
    );
  const titles = () =>
    db()
      .select()
      .from(notifications)
      .all()
      .map(({ userId }) => userId)
      .sort();
  const sent = () =>
    db()
      .select()
      .from(notificationDeliveries)
      .all()
      .map(({ channel, target }) => `${channel} ${target}`.trim())
      .sort();
  const switchOn = (names: readonly string[]) =>
    updateSettings(test.actors.admin, "notifications", Object.fromEntries(names.map((name) => [name, true])));

  it("lists an event once for each active member with the permission", () => {
    send();
    send();
    expect(titles()).toEqual(["usr_admin", "usr_owner"]);
    send({
      dedupeKey: "prv_2",
      audience: { permission: "screens.read", userIds: ["usr_viewer", "usr_gone"] },
    });
    expect(titles()).toEqual(["usr_admin", "usr_owner", "usr_viewer"]);
  });

  it("sends nothing while every channel is off", () => {
    send();
    expect(sent()).toEqual([]);
  });

  it("sends once over each enabled and chosen channel", () => {
    switchOn(["enableEmail", "enableSlack", "enableWebhooks"]);
    transaction((tx) => saveChoices(tx, "usr_admin", { "provider.down": ["email"] }, 1));
    send();
    send();
    expect(sent()).toEqual(["email usr_admin", "slack", "webhook"]);
  });

  it("sends an admin's chosen events to each shared channel", () => {
    switchOn(["enableSlack", "enableWebhooks"]);
    updateSettings(test.actors.admin, "notifications", { slackEvents: ["budget.near"] });
    send();
    expect(sent()).toEqual(["webhook"]);
  });

  it("keeps private events out of shared channels", () => {
    switchOn(["enableSlack", "enableWebhooks"]);
    send({ isPrivate: true });
    expect(sent()).toEqual([]);
  });

  it("throttles a subject's deliveries and lists its newest text", () => {
    switchOn(["enableSlack"]);
    const again = (title: string, subject = "wf_1") =>
      send({ title, dedupeKey: `${subject}:${title}`, throttle: { subject, ms: 60_000 } });
    setClock(() => 1_000_000);
    again("one");
    again("two");
    again("other", "wf_10");
    expect(sent()).toEqual(["slack", "slack"]);
    const titles = () =>
      db()
        .select()
        .from(notifications)
        .all()
        .map(({ userId, title }) => `${userId} ${title}`)
        .sort();
    expect(titles()).toEqual(["usr_admin other", "usr_admin two", "usr_owner other", "usr_owner two"]);
    setClock(() => 1_060_001);
    again("three");
    expect(sent()).toEqual(["slack", "slack", "slack"]);
  });

  it("notifies users who were not notified of the earlier, throttled event", () => {
    const about = (userIds: string[], title: string) =>
      send({
        audience: { permission: "screens.read", userIds },
        ...{ title, dedupeKey: `wf_1:${title}`, throttle: { subject: "wf_1", ms: 60_000 } },
      });
    about(["usr_admin"], "first");
    about(["usr_admin", "usr_member"], "second");
    const listed = db().select().from(notifications).all();
    expect(listed.map(({ userId, title }) => `${userId} ${title}`).sort()).toEqual([
      "usr_admin second",
      "usr_member second",
    ]);
  });

  it("cuts a title and a text that are too long, with an ellipsis", () => {
    send({ title: `${"Nightly ".repeat(40)}failed`, body: "x".repeat(2001) });
    const [row] = db().select().from(notifications).all();
    expect(row?.title, "a title ends within 200 characters, not with a space").toMatch(/^(Nightly )+.*\S…$/);
    expect(row?.title.length).toBeLessThanOrEqual(200);
    expect(row?.body).toBe(`${"x".repeat(1999)}…`);
    send({ dedupeKey: "prv_2", title: "x".repeat(200) });
    const last = db().select().from(notifications).all().at(-1);
    expect(last?.title, "what fits stays whole").toBe("x".repeat(200));
  });

  it("keeps a name from turning the words after it around", () => {
    send({ title: "Lab\u202e is down", body: "\u2066nwod\u2069 since noon" });
    const [row] = db().select().from(notifications).all();
    expect(row).toMatchObject({ title: "Lab is down", body: "nwod since noon" });
  });

  it("is rolled back with its caller", () => {
    switchOn(["enableSlack"]);
    expect(() =>
      transaction(() => {
        send();
        throw new Error("no");
      }),
    ).toThrow("no");
    expect([titles(), sent()]).toEqual([[], []]);
  });
});
