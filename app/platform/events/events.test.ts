import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { accessChanged, sessionEnded } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { EventsQuery, type LiveEvent } from "./events.schema";
import {
  authoriseTopics,
  endStreams,
  liveVersion,
  publish,
  rememberViewers,
  subscribe,
} from "./events.service.server";

const actorOf = (userId: string, more: Partial<Actor> = {}): Actor => ({
  kind: "user",
  userId,
  orgId: "org_one",
  role: "member",
  ...more,
});

/** Visible items by user; changed by tests. */
let seers: Record<string, string[]>;
const findVisible = ({ userId }: Actor, ids: readonly string[]) =>
  new Set(ids.filter((id) => seers[id]?.includes(userId)));
const change = (id: string) => ({ topic: "documents" as const, orgId: "org_one", id, findVisible });
const whole = { topic: "documents", orgId: "org_one" } as const;

function open(actor: Actor, options: Partial<Parameters<typeof subscribe>[1]> = {}) {
  const seen: (LiveEvent | undefined)[] = [];
  const since = options.since ?? liveVersion();
  const stop = subscribe(
    actor,
    { topics: ["documents"], isBehind: () => false, ...options, since },
    (event) => seen.push(event),
  );
  return { stop, seen, ids: () => seen.map((event) => event && (event.id ?? event.topic)) };
}

beforeEach(() => {
  seers = { doc_open: ["ann", "bob"], doc_hidden: ["ann"] };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  endStreams();
  vi.useRealTimers();
});

describe("the rights of a live stream", () => {
  it("hide changes of objects that the user can't see", () => {
    const [ann, bob] = [open(actorOf("ann")), open(actorOf("bob"))];
    publish(change("doc_hidden"));
    vi.advanceTimersByTime(1000);
    expect([ann.ids(), bob.ids()]).toEqual([["doc_hidden"], []]);
    publish(change("doc_open"));
    publish(change("doc_hidden"));
    vi.advanceTimersByTime(1000);
    expect([ann.ids(), bob.ids()]).toEqual([["doc_hidden", "doc_open", "doc_hidden"], ["doc_open"]]);
  });

  it("are checked at delivery, not at the change", () => {
    const bob = open(actorOf("bob"));
    publish(change("doc_open"));
    seers.doc_open = [];
    vi.advanceTimersByTime(1000);
    expect(bob.ids()).toEqual([]);
  });

  it("report a hidden object to its earlier viewers without the id", () => {
    const [ann, bob] = [open(actorOf("ann")), open(actorOf("bob"))];
    const tell = rememberViewers(change("doc_hidden"));
    seers.doc_hidden = [];
    publish(change("doc_hidden"));
    tell();
    vi.advanceTimersByTime(1000);
    expect([ann.ids(), bob.ids()]).toEqual([["documents"], []]);
  });

  it("leave out forbidden topics, and reject a stream without any other", () => {
    const [member, admin] = [actorOf("ann"), actorOf("adm", { role: "admin" })];
    expect(authoriseTopics(member, ["documents", "jobs"])).toEqual(["documents"]);
    expect(authoriseTopics(admin, ["documents", "jobs"])).toEqual(["documents", "jobs"]);
    expect(() => authoriseTopics(member, ["jobs"])).toThrow(
      "Only admins and owners can change the organization's settings.",
    );
    const token = actorOf("ann", { kind: "token", tokenId: "tok_1", scopes: ["documents.search"] });
    expect(() => authoriseTopics(token, ["documents"])).toThrow();
  });

  it("end the stream with its session, but not the user's other streams", () => {
    const [one, other] = ["ses_1", "ses_2"].map((sessionId) => open(actorOf("ann", { sessionId })));
    sessionEnded("ses_1");
    expect([one?.ids(), other?.ids()]).toEqual([[undefined], []]);
  });

  it("end the streams of ended sessions without an event, since their pages can't reload", () => {
    const [one, other] = ["ses_1", "ses_2"].map((sessionId) => open(actorOf("ann", { sessionId })));
    accessChanged("ann", { endedSessions: ["ses_1"] });
    expect([one?.ids(), other?.ids()]).toEqual([[undefined], ["documents", undefined]]);
  });

  it("end the user's streams when they change, after an event that makes pages reload", () => {
    const [ann, bob] = [open(actorOf("ann")), open(actorOf("bob"))];
    const tokens = ["tok_1", "tok_2"].map((tokenId) => open(actorOf("ann", { kind: "token", tokenId })));
    accessChanged("ann", { tokenId: "tok_1" });
    expect(tokens.map(({ ids }) => ids())).toEqual([["documents", undefined], []]);
    expect(ann.seen).toEqual([]);
    accessChanged("ann");
    expect([ann.ids(), bob.ids(), tokens[1]?.ids()]).toEqual([
      ["documents", undefined],
      [],
      ["documents", undefined],
    ]);
    publish(whole);
    vi.advanceTimersByTime(1000);
    expect(ann.seen).toHaveLength(2);
  });

  it("separate organizations, while global events reach everyone", () => {
    const other = open(actorOf("eve", { orgId: "org_two", role: "admin" }), {
      topics: ["documents", "jobs"],
    });
    publish(whole);
    publish({ topic: "jobs", orgId: null });
    vi.advanceTimersByTime(1000);
    expect(other.ids()).toEqual(["jobs"]);
  });
});

describe("a stream", () => {
  it("delivers at most twice a second, each object once, with rising versions", () => {
    const ann = open(actorOf("ann"));
    for (let step = 0; step < 40; step++) {
      publish(change("doc_open"));
      vi.advanceTimersByTime(50);
    }
    expect(ann.seen.length).toBeGreaterThanOrEqual(4);
    expect(ann.seen.length).toBeLessThanOrEqual(5);
    const numbers = ann.seen.map((event) => Number(event?.version.split(".")[1]));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  it("begins with the topics changed since, or all of them after a restart", () => {
    publish(whole);
    const read = liveVersion();
    const topics = ["documents", "retrieval-checks"] as const;
    expect(open(actorOf("ann"), { topics, since: read }).seen).toEqual([]);
    publish({ topic: "retrieval-checks", orgId: "org_one" });
    expect(open(actorOf("ann"), { topics, since: read }).ids()).toEqual(["retrieval-checks"]);
    expect(open(actorOf("ann"), { topics, since: "before.99999999" }).ids()).toEqual([...topics]);
    expect(open(actorOf("ann"), { topics, since: "nonsense" }).ids()).toEqual([...topics]);
  });

  it("batches for a slow client, and ends if it stays slow", () => {
    let isBehind = true;
    const slow = open(actorOf("ann"), { isBehind: () => isBehind });
    for (let n = 0; n < 500; n++) publish(change(`doc_${n}`));
    vi.advanceTimersByTime(10_000);
    expect(slow.seen).toEqual([]);
    isBehind = false;
    vi.advanceTimersByTime(1000);
    // Too many to name: the page reads them all.
    expect(slow.ids()).toContain("documents");
    expect(slow.seen.length).toBeLessThan(210);
    isBehind = true;
    publish(whole);
    vi.advanceTimersByTime(62_000);
    expect(slow.seen.at(-1)).toBeUndefined();
  });

  it("ends after half an hour, and when the console stops", () => {
    const [first, second] = [open(actorOf("ann")), open(actorOf("bob"))];
    second.stop();
    vi.advanceTimersByTime(31 * 60_000);
    const third = open(actorOf("bob"));
    endStreams();
    expect([first.seen, second.seen, third.seen]).toEqual([[undefined], [], [undefined]]);
  });

  it("is limited to sixteen per user", () => {
    const all = Array.from({ length: 16 }, () => open(actorOf("ann")));
    expect(() => authoriseTopics(actorOf("ann"), ["documents"])).toThrow("At most 16");
    expect(authoriseTopics(actorOf("bob"), ["documents"])).toEqual(["documents"]);
    all[0]?.stop();
    expect(authoriseTopics(actorOf("ann"), ["documents"])).toEqual(["documents"]);
  });
});

it("accepts only known topics, each once", () => {
  expect(EventsQuery.parse({ topics: "documents,jobs,documents" })).toEqual({
    topics: ["documents", "jobs"],
  });
  for (const topics of ["", "secrets", "documents,secrets"])
    expect(EventsQuery.safeParse({ topics }).success).toBe(false);
});
