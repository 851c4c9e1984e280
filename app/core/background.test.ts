import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import {
  forEachConcurrently,
  listFailingWork,
  runInBackground,
  runLater,
  runNext,
} from "./background.server";
import { onCommit, rawDatabase, transaction } from "./db.server";

const succeed = (name: string) => runInBackground(name, () => undefined);
afterEach(() => {
  for (const name of listFailingWork()) succeed(name);
});

it("catches what work throws or rejects, and reports it until the work succeeds", async () => {
  const broken = () => {
    throw new Error("The disk is full.");
  };
  runInBackground("at once", broken);
  runInBackground("a promise", async () => broken());
  runNext("the next turn", broken);
  const timer = runLater("a timer", 0, broken);
  timer.ref();
  await expect.poll(listFailingWork).toEqual(["at once", "a promise", "the next turn", "a timer"]);
  succeed("at once");
  runInBackground("a promise", async () => undefined);
  await turn();
  expect(listFailingWork()).toEqual(["the next turn", "a timer"]);
});

it("leaves a full disk to the problem that health has of it", () => {
  runInBackground("full", () => {
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  });
  expect(listFailingWork()).toEqual([]);
});

it("lets a commit stand whose listener throws, and calls the others", () => {
  const test = openTestDatabase();
  const called: string[] = [];
  const stops = [
    onCommit("a listener", () => {
      called.push("first");
      throw new Error("It must not throw.");
    }),
    onCommit("another", () => void called.push("second")),
  ];
  try {
    expect(
      transaction(() => rawDatabase().prepare("UPDATE organisations SET name = 'Kept'").run().changes),
    ).toBe(1);
    expect(called).toEqual(["first", "second"]);
    expect(listFailingWork()).toEqual(["a listener"]);
  } finally {
    for (const stop of stops) stop();
    test.close();
  }
});

it("works on some items at a time, and begins no other after an error", async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const work = async (item: number, signal: AbortSignal) => {
    begun.push(item);
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    if (item === 3) throw new Error("The third failed.");
    if (item === 4) expect(signal.aborted).toBe(true);
  };
  await forEachConcurrently([1, 2], 2, work);
  await expect(forEachConcurrently([3, 4, 5], 2, work)).rejects.toThrow("The third failed.");
  expect([begun, most]).toEqual([[1, 2, 3, 4], 2]);
  const aborted = AbortSignal.abort(new Error("Stopped"));
  await expect(forEachConcurrently([6], 2, work, aborted)).rejects.toThrow("Stopped");
  expect(begun).not.toContain(6);
});
