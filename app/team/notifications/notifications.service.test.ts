import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { openTestDatabase } from "../../../tests/support/database";
import { pruneNotifications } from "./notifications.jobs.server";
import { NotificationQuery } from "./notifications.schema";
import {
  countUnread,
  markAllRead,
  markNotification,
  pageNotifications,
  readPreferences,
  readPushSettings,
  savePreferences,
  savePreferencesForm,
} from "./notifications.service.server";
import { notify } from "./notify.service.server";

describe("a person's notifications", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let time: number;
  beforeEach(() => {
    test = openTestDatabase();
    time = Date.parse("2027-03-01T12:00:00Z");
    setClock(() => time);
  });
  afterEach(() => {
    setClock();
    test.close();
  });
  const send = (dedupeKey: string) =>
    transaction((tx) =>
      notify(tx, {
        event: "security",
        organisationId: test.actors.admin.orgId,
        audience: { permission: "settings.manage" },
        title: `Event ${dedupeKey}`,
        link: "/audit",
        dedupeKey,
      }),
    );
  const page = (actor: Actor, query = {}) => pageNotifications(actor, NotificationQuery.parse(query));
  const titles = (actor: Actor, query = {}) => page(actor, query).notifications.map(({ title }) => title);

  it("are listed newest first, without gaps between pages at equal times", () => {
    for (const key of ["1", "2", "3"]) send(key);
    const first = page(test.actors.admin, { limit: "2" });
    const rest = titles(test.actors.admin, { limit: "2", cursor: first.next });
    expect([...first.notifications.map(({ title }) => title), ...rest]).toEqual([
      "Event 3",
      "Event 2",
      "Event 1",
    ]);
  });

  it("can be marked only by their user", () => {
    for (const key of ["1", "2"]) send(key);
    const [newest] = page(test.actors.admin).notifications;
    if (!newest) throw new Error("Nothing is listed.");
    expect(() => markNotification(test.actors.owner, newest.id, true)).toThrow("not found");
    expect(markNotification(test.actors.admin, newest.id, true).readAt).toBe(new Date(time).toISOString());
    expect(titles(test.actors.admin, { unread: "true" })).toEqual(["Event 1"]);
    markNotification(test.actors.admin, newest.id, false);
    expect(countUnread(test.actors.admin)).toBe(2);
    markAllRead(test.actors.admin);
    expect([countUnread(test.actors.admin), countUnread(test.actors.owner)]).toEqual([0, 2]);
  });

  it("are hidden from a member without the permission", () => {
    send("1");
    const demoted: Actor = { ...test.actors.admin, role: "member" };
    expect([titles(demoted), countUnread(demoted)]).toEqual([[], 0]);
  });

  it("are deleted after 90 days", () => {
    send("1");
    time += 80 * DAY;
    send("2");
    time += 11 * DAY;
    pruneNotifications();
    expect(titles(test.actors.admin)).toEqual(["Event 2"]);
  });

  it("offer a browser the push key that was read first", () => {
    const { publicKey } = readPushSettings(test.actors.admin);
    rmSync(join(test.folder, "push.key"));
    expect(readPushSettings(test.actors.admin).publicKey).toBe(publicKey);
  });

  it("use the user's channels", () => {
    const { member } = test.actors;
    const events = () =>
      readPreferences(member).events.map(({ event, channels }) => [event, channels.join()]);
    expect(events()).toEqual([
      ["run.failed", "push"],
      ["approval.waiting", "email,push"],
      ["budget.near", "email,push"],
      ["ingestion.failed", "push"],
    ]);
    savePreferencesForm(member, ["run.failed:email", "security:email"]);
    savePreferences(member, { events: { "budget.near": ["push"] } });
    expect(events()).toEqual([
      ["run.failed", "email"],
      ["approval.waiting", ""],
      ["budget.near", "push"],
      ["ingestion.failed", ""],
    ]);
  });
});
